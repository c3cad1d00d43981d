// The command line accepts every example in the help texts, with all commands, options and values.
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addCommands, ROWS } from '../../server/cli/commands.ts';
import { EXAMPLES, withPlainWait } from '../../server/cli/program.ts';

const LINES = [...EXAMPLES, ...ROWS.flatMap(({ examples }) => examples)].flatMap((example) =>
  callsIn(example).map((words) => [words.join(' '), words] as const),
);

test('there are examples', () => expect(LINES.length).toBeGreaterThan(60));

test.each(LINES)('agenthub %s', async (_, words) => {
  const program = new Command('agenthub');
  addCommands(program);
  const tried: string[] = [];
  const all = [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)];
  for (const each of all) replaceAction(each, () => tried.push(each.name()));
  await program.parseAsync(withPlainWait(words), { from: 'user' });
  expect(tried).toHaveLength(1);
});

function replaceAction(command: Command, act: () => void): void {
  command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  if (command.commands.length === 0) command.action(act);
}

/** Returns the arguments of each `agenthub` call, up to a pipe, a redirection or an explanation. */
function callsIn(example: string): string[][] {
  const calls: string[][] = [];
  let words: string[] | undefined;
  let isFedByXargs = false;
  for (const token of (example.split(/ {2,}/)[0] ?? '').match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) {
    if (/(^|\()agenthub$/.test(token)) calls.push((words = isFedByXargs ? ['task', 'retry', 'task_4Zb…'] : []));
    else if (/^(\||\|\||&&|>|<|#)$/.test(token)) words = undefined;
    else if (!isFedByXargs) words?.push(token.replace(/^(['"])(.*)\1$/, '$2').replace(/\)$/, ''));
    isFedByXargs ||= token === 'xargs';
  }
  return calls;
}
