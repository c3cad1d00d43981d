// What a completion script is made from: the commands with their flags and parameters, and what each of those takes.

/** One of these words, or what the shell itself knows; of a text it knows nothing. */
export type Takes = 'nothing' | 'text' | 'file' | 'directory' | 'command' | readonly string[];

export type Flag = { names: string[]; about: string; takes: Takes };

/** A command, called by one word or by two, and the words that may follow the first of a family. */
export type Branch = { name: string; about: string; flags: Flag[]; parameters: Takes[]; commands: Branch[] };

/** Runs where the first word is a flag. */
export const DEFAULT_COMMAND = 'serve';

/** Every command that runs something, by all its words. */
export function leavesOf(tree: readonly Branch[]): Branch[] {
  return tree.flatMap((branch) =>
    branch.commands.length === 0
      ? branch
      : branch.commands.map((each) => ({ ...each, name: `${branch.name} ${each.name}` })),
  );
}

export function familiesOf(tree: readonly Branch[]): Branch[] {
  return tree.filter(({ commands }) => commands.length > 0);
}

export function namesIn(branches: readonly Branch[]): string {
  return branches.map(({ name }) => name).join(' ');
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
