// Runs the completion scripts in real shells: bash, and zsh and fish if installed (`apt-get install zsh fish`). Reports
// each missing shell.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FIRST_WORDS, ROWS } from '../../../server/cli/commands.ts';
import { type Environment, newCli, outputOf } from '../../support/process/command-line.ts';
import { ANY_TARGET, programOf } from '../../support/process/hub-process.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';
import { hasShell, offeredBy, type Shell } from './shells.ts';

const NAMES = [...FIRST_WORDS, 'help'].sort();
const FAMILIES = Object.entries(Object.groupBy(ROWS, ({ family }) => family?.name ?? ''))
  .filter(([name]) => name !== '')
  .map(([name, rows = []]): [string, string[]] => [`agenthub ${name} `, rows.map((row) => row.name).sort()]);

const CONTEXTS = ['127.0.0.1:4747', 'staging'];
const FILES = ['a file.db', 'a place'];

const OFFERS: readonly [line: string, words: readonly string[]][] = [
  ['agenthub ', NAMES],
  ...FAMILIES,
  ['agenthub rea', ['reassign']],
  ['agenthub help con', ['config', 'connect', 'context']],
  ['agenthub send --pri', ['--priority']],
  ['agenthub send --priority ', ['high', 'low', 'normal']],
  ['agenthub send --priority=h', ['high']],
  ['agenthub send builder --priority n', ['normal']],
  ['agenthub tasks --status re', ['replied']],
  ['agenthub config print --tls', ['--tls-cert', '--tls-key']],
  ['agenthub config print -o ', ['json', 'table']],
  ['agenthub connect ', ['claude', 'codex', 'copilot', 'cursor', 'gemini', 'opencode', 'qwen', 'vscode']],
  ['agenthub completion ', ['bash', 'fish', 'zsh']],
  ['agenthub user set-role ada ', ['admin', 'user']],
  ['agenthub user create ada --role a', ['admin']],
  ['agenthub serve --registration ', ['closed', 'invite', 'open']],
  ['agenthub --metr', ['--metrics', '--metrics-token']],
  ['agenthub --port 80 --log-level ', ['debug', 'error', 'info', 'warn']],
  ['agenthub message send --fr', ['--from']],
  ['agenthub message builder --fr', ['--from']],
  ['agenthub task sh', ['show']],
  ['agenthub task send --prio', ['--priority']],
  ['agenthub task list --status re', ['replied']],
  ['agenthub task show task_1 --data ', ['a place']],
  ['agenthub agent work --tak', ['--take-over']],
  ['agenthub restore ', FILES],
  ['agenthub status --token-file ', FILES],
  ['agenthub task task_1 --data ', ['a place']],
  ['agenthub user list --data ', ['a place']],
  ['agenthub context use ', CONTEXTS],
  ['agenthub context show --hub s', ['staging']],
  ['agenthub context remove st', ['staging']],
  ['agenthub logout ', CONTEXTS],
  ['agenthub login --context ', CONTEXTS],
  ['agenthub tasks --hub=', CONTEXTS],
  ['agenthub tasks --hub s', ['staging']],
];

/** bash replaces only what follows the last colon. */
const WITH_COLON: readonly [line: string, words: readonly string[], inBash: readonly string[]][] = [
  ['agenthub context use 127.0.0.1:4', ['127.0.0.1:4747'], ['4747']],
  ['agenthub tasks --hub 127.0.0.1:', ['127.0.0.1:4747'], ['4747']],
  ['agenthub tasks --hub 127.0.0.1:4747 --pri', ['--priority'], ['--priority']],
];

/** An environment with `agenthub` on the path and two contexts. */
function signedIn(): Environment {
  const home = temporaryDirectory();
  const [file, first] = programOf(ANY_TARGET);
  mkdirSync(join(home, 'bin'));
  writeFileSync(
    join(home, 'bin', 'agenthub'),
    `#!/bin/sh\nexec ${[file, ...first].map((word) => `'${word}'`).join(' ')} "$@"\n`,
    { mode: 0o755 },
  );
  mkdirSync(join(home, 'agenthub'));
  const context = { url: 'http://127.0.0.1:4747', username: 'ada', user_token: 'utok_x', networks: {} };
  const stored = { current: 'staging', contexts: Object.fromEntries(CONTEXTS.map((name) => [name, context])) };
  writeFileSync(join(home, 'agenthub', 'credentials.json'), JSON.stringify(stored), { mode: 0o600 });
  return { XDG_CONFIG_HOME: home, PATH: `${join(home, 'bin')}:${process.env.PATH}` };
}

describe.each<Shell>(['bash', 'zsh', 'fish'])('%s', (shell) => {
  if (!hasShell(shell))
    process.stderr.write(`NOT TESTED: ${shell} is not installed, so its completion was not tested\n`);

  test.skipIf(!hasShell(shell))('completes commands, options and their values', async () => {
    const script = await outputOf(newCli(ANY_TARGET), ['completion', shell]);
    const expected = [
      ...OFFERS,
      ...WITH_COLON.map(([line, words, inBash]) => [line, shell === 'bash' ? inBash : words] as const),
    ];
    const offered = offeredBy(
      shell,
      script,
      expected.map(([line]) => line),
      signedIn(),
    );
    const actual = expected.map(([line], index) => [
      line,
      (offered[index] ?? []).map((word) => word.replace(/\/$/, '').replaceAll('\\', '')),
    ]);
    expect(actual).toEqual(expected);
  });

  test('contains every command', async () => {
    const script = await outputOf(newCli(ANY_TARGET), ['completion', shell]);
    for (const name of NAMES) expect(script).toMatch(new RegExp(`\\b${name}\\b`));
  });
});
