// The command line accepts every example in the help texts, with all commands, options and values.
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { CLIENT_COMMANDS } from '../../server/cli/client/commands.ts';
import { commandFor } from '../../server/cli/command.ts';
import { OPERATOR_COMMANDS } from '../../server/cli/operator-commands.ts';
import { withPlainWait } from '../../server/cli/program.ts';

const ENTRIES = [...Object.values(OPERATOR_COMMANDS), ...Object.values(CLIENT_COMMANDS)].flat();
const EXAMPLES = ENTRIES.flatMap((entry) =>
  'commands' in entry ? entry.commands.flatMap(({ examples }) => examples) : entry.examples,
);
const LINES = EXAMPLES.flatMap((example) => callsIn(example).map((words) => [words.join(' '), words] as const));

test('there are examples', () => expect(LINES.length).toBeGreaterThan(60));

test.each(LINES)('agenthub %s', async (_, words) => {
  const named = ENTRIES.find(({ name }) => name === words[0]);
  const entry = named ?? ENTRIES.find(({ name }) => name === 'serve');
  if (entry === undefined) throw new Error('the serve command is missing');
  const command = commandFor(entry);
  const tried: string[] = [];
  for (const each of [command, ...command.commands]) replaceAction(each, () => tried.push(each.name()));
  await command.parseAsync(withPlainWait(named === undefined ? words : words.slice(1)), { from: 'user' });
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
    if (/(^|\()agenthub$/.test(token)) calls.push((words = isFedByXargs ? ['retry', 'task_4Zb…'] : []));
    else if (/^(\||\|\||&&|>|<|#)$/.test(token)) words = undefined;
    else if (!isFedByXargs) words?.push(token.replace(/^(['"])(.*)\1$/, '$2').replace(/\)$/, ''));
    isFedByXargs ||= token === 'xargs';
  }
  return calls;
}
