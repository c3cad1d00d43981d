// The command tree for completion scripts: the commands with their flags and parameters, and the values those accept.

/**
 * A list of choices, or a kind of value: the shell completes files, directories and commands itself, and asks agenthub
 * for the names of contexts. It cannot complete `text`.
 */
export type Takes = 'nothing' | 'text' | 'file' | 'directory' | 'command' | 'context' | readonly string[];

export type Flag = { names: string[]; about: string; takes: Takes };

/**
 * A command of one or two words. `commands` has the second words of a family; `usual` is the one that runs if the
 * second word is none of them.
 */
export type Branch = {
  name: string;
  about: string;
  flags: Flag[];
  parameters: Takes[];
  commands: Branch[];
  usual?: string | undefined;
};

/** The command that runs if the first word is a flag. */
export const DEFAULT_COMMAND = 'serve';

/** Every executable command, with its full name. */
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
