// Every command of the table that reads: with `-o json`, standard output is one JSON document, and errors are JSON too;
// for people, each time has its zone.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROWS } from '../../server/cli/commands.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { PASSWORD } from '../support/http/rest-client.ts';
import { listOf, objectIn, textOf } from '../support/json.ts';
import { type Cli, type Environment, newCli, outputOf, run, start } from '../support/process/command-line.ts';
import type { Cleanup } from '../support/process/failed-tests.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { temporaryDirectory } from '../support/process/running-hub.ts';

/** The arguments of each command that reads; `TASK` and `TOKEN` are ids. Some read in more than one way. */
const READS: Readonly<Record<string, readonly string[]>> = {
  'config check': [''],
  'config print': [''],
  paths: [''],
  healthcheck: [''],
  doctor: [''],
  'cluster list': [''],
  'user list': [''],
  'user show': ['ada'],
  'token list': [''],
  'token show': ['TOKEN'],
  'network list': [''],
  'network show': ['ada'],
  'network members': ['ada'],
  'network invites': ['ada'],
  'agent list': ['--network ada'],
  'audit log': [''],
  prune: ['--dry-run'],
  'context list': [''],
  'context show': [''],
  'agent status': ['', 'builder'],
  'agent wait': ['--alias builder'],
  'task list': [''],
  'task show': ['TASK'],
  'message list': ['--alias builder'],
  version: [''],
  licenses: [''],
};
/** Prints JSON lines. */
const FOLLOWS = ['event watch'];
const CHANGES = [
  ...['create', 'reset-password', 'set-role', 'disable', 'enable', 'delete'].map((verb) => `user ${verb}`),
  ...['create', 'rotate', 'revoke'].map((verb) => `token ${verb}`),
  ...[
    'create',
    'invite',
    'withdraw-invite',
    'set-role',
    'remove-member',
    'rename',
    'transfer',
    'license',
    'delete',
  ].map((verb) => `network ${verb}`),
  ...['send', 'reply', 'cancel', 'retry', 'reassign'].map((verb) => `task ${verb}`),
  ...[
    'agent forget',
    'cluster drain',
    'cluster resync',
    'backup',
    'restore',
    'import',
    'context use',
    'context remove',
  ],
  ...['message send', 'message broadcast'],
];

test('every command with a JSON output reads, follows or changes', () => {
  const withJson = ROWS.filter(({ options = [] }) => options.some(({ long }) => long === '--output'));
  expect(withJson.map(({ words }) => words).sort()).toEqual([...Object.keys(READS), ...FOLLOWS, ...CHANGES].sort());
});

const ids = { TASK: '', TOKEN: '' };
const cleanups: Cleanup[] = [];
const atEnd = (cleanup: Cleanup): void => void cleanups.unshift(cleanup);
let environment: Environment = {};

beforeAll(async () => {
  const { hub, networkToken } = await hubOfAda({
    target: ANY_TARGET,
    atEnd,
    args: ['--backup-schedule', 'hourly'],
  });
  const agent = mcpClient(hub.url, networkToken);
  await agent.call('report_status', { resume_id: 'b-1', alias: 'builder', status: 'working', current_task: 'a test' });
  ids.TASK = textOf(await agent.call('send_task', { alias: 'builder', task: 'build it' }), 'task_id');
  environment = {
    AGENTHUB_DATA: hub.data,
    HOME: temporaryDirectory(atEnd),
  };
});

afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

let signingIn: Promise<unknown> | undefined;

/** Signed in, to a hub whose tokens were used. */
async function person(): Promise<Cli> {
  const cli = newCli(ANY_TARGET, environment);
  await (signingIn ??= outputOf(cli, ['login', '--username', 'ada', '--password-stdin'], { input: PASSWORD }));
  const [token = {}] = listOf(objectIn(await outputOf(cli, ['token', 'list', '-o', 'json'])), 'tokens');
  ids.TOKEN = textOf(token, 'token_id');
  return cli;
}

function argumentsOf(words: string, given: string): string[] {
  return [words, given]
    .join(' ')
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word === 'TASK' || word === 'TOKEN' ? ids[word] : word));
}

const CALLS = Object.entries(READS).flatMap(([words, all]) => all.map((given) => [words, given] as const));

/** A date and time, or a time of day, without its zone. */
const WITHOUT_ZONE = /\b\d\d:\d\d(:\d\d)?(\.\d+)?(?![\d:.]|Z\b| UTC| [+-]\d\d)/;
const HUB_TIME = /"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?"/;

describe.each(CALLS)('%s %s', (words, given) => {
  test('prints one JSON document', async () => {
    const { code, stdout, stderr } = await run(await person(), [...argumentsOf(words, given), '-o', 'json']);
    const isSpdx = words === 'licenses';
    expect(objectIn(stdout)).toMatchObject(isSpdx ? { spdxVersion: 'SPDX-2.3' } : { ok: code === 0 });
    expect(stdout).not.toMatch(HUB_TIME);
    for (const line of linesOf(stderr)) expect(objectIn(line)).toBeDefined();
  });

  test('shows each time with its zone', async () => {
    const { stdout } = await run(await person(), argumentsOf(words, given));
    expect(stdout.trim()).not.toBe('');
    expect(linesOf(stdout).filter((line) => WITHOUT_ZONE.test(line))).toEqual([]);
  });

  test('prints an error as JSON', async () => {
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: 'http://127.0.0.1:9', AGENTHUB_TOKEN: 'ntok_x' });
    const unknown = await run(cli, [...argumentsOf(words, given), '--no-such-option', '-o', 'json']);
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(objectIn(unknown.stderr)).toMatchObject({ ok: false, error: 'invalid_usage', exit_code: 2 });
    const alone = await run(cli, [...argumentsOf(words, given), '-o', 'json']);
    const last = alone.stdout === '' ? linesOf(alone.stderr).at(-1) : alone.stdout;
    if (alone.code !== 0) expect(objectIn(last ?? '')).toMatchObject({ ok: false });
    for (const line of linesOf(alone.stderr)) expect(objectIn(line)).toBeDefined();
  });
});

test.each(FOLLOWS)('%s prints JSON lines', async (words) => {
  const cli = await person();
  const following = start(cli, [...words.split(' '), '-o', 'json']);
  await expect
    .poll(
      async () => {
        await outputOf(cli, ['message', 'send', 'builder', 'hello']);
        return following.stdout();
      },
      { timeout: 15_000, interval: 100 },
    )
    .toContain('"type"');
  following.signal('SIGINT');
  const { stdout } = await following.ended;
  for (const line of linesOf(stdout)) expect(objectIn(line)).toMatchObject({ type: expect.any(String) });
  expect(stdout).not.toMatch(HUB_TIME);
});

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
