// What scripts rely on with `-o json`: one object on standard output with `ok` and times with a zone; notes and the
// error as objects on standard error. And tables on terminals that do not know their width.
import { describe, expect, test } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { objectIn, textOf } from '../support/json.ts';
import { type Cli, cliFor, newCli, outputOf, run } from '../support/process/command-line.ts';
import { ANY_TARGET } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { hasTerminal, startOnTerminal } from '../support/process/terminal.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

async function failureOf(cli: Cli, args: readonly string[]) {
  const { code, stdout, stderr } = await run(cli, args);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^\{[^\n]*\}\n$/);
  return { code, failure: objectIn(stderr) };
}

describe('an error', () => {
  const nowhere = { AGENTHUB_URL: 'http://127.0.0.1:9', AGENTHUB_TOKEN: 'ntok_x' };
  const WITHOUT_HUB: readonly [args: string[], code: number, error: string, message: string][] = [
    [['tasks', '-o', 'json'], 3, 'unreachable', 'cannot reach the hub at http://127.0.0.1:9'],
    [['send', '-o', 'json', 'builder'], 2, 'invalid_usage', "missing required argument 'text'"],
    [['tasks', '--limit', '0', '-ojson'], 2, 'invalid_usage', 'It must be a whole number'],
    [['taks', '--output=json'], 2, 'invalid_usage', 'unknown command taks'],
    [['config', 'print', '--port', 'abc', '--output', 'json'], 2, 'invalid_configuration', '--port is "abc"'],
    [['user', 'list', '--data', 'none', '-o', 'json'], 1, 'failed', 'there is no hub in'],
  ];
  test.each(WITHOUT_HUB)('of %j is one object on standard error', async (args, exit_code, error, message) => {
    expect(await failureOf(newCli(ANY_TARGET, nowhere), args)).toEqual({
      code: exit_code,
      failure: { ok: false, error, message: expect.stringContaining(message), exit_code },
    });
  });

  test('of a hub has the code of the hub', async () => {
    const { hub, ...account } = await hubOfAda({ target: ANY_TARGET });
    const cli = cliFor(hub, ANY_TARGET, account);
    expect(await failureOf(cli, ['task', 'task_none', '-o', 'json'])).toMatchObject({
      code: 1,
      failure: { error: 'task not found', exit_code: 1 },
    });
    const operator = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
    expect(await failureOf(operator, ['user', 'delete', 'ada', '--yes', '-o', 'json'])).toMatchObject({
      code: 1,
      failure: { error: 'last_admin' },
    });
    expect(await failureOf(cli, ['wait', '--alias', 'a', '--timeout', '0', '-o', 'json'])).toMatchObject({
      code: 6,
      failure: { error: 'timed_out', exit_code: 6 },
    });
    const wrong = { ...cli, env: { ...cli.env, AGENTHUB_TOKEN: `ntok_${'0'.repeat(36)}` } };
    expect(await failureOf(wrong, ['tasks', '-o', 'json'])).toMatchObject({
      code: 4,
      failure: { error: 'unauthorized' },
    });
  });
});

test('a result has ok and times with a zone; a failed task is not ok', async () => {
  const { hub, ...account } = await hubOfAda({ target: ANY_TARGET });
  const cli = cliFor(hub, ANY_TARGET, account);
  const agent = mcpClient(hub.url, account.networkToken);
  await agent.call('report_status', { resume_id: 'b-1', alias: 'builder', status: 'idle' });
  const ask = async (...words: string[]) => objectIn(await outputOf(cli, [...words, '-o', 'json']));
  const sent = await ask('send', 'builder', 'x');
  expect(await ask('status')).toMatchObject({
    ok: true,
    sessions: [{ last_seen_at: expect.stringMatching(RFC_3339) }],
  });
  expect(await ask('task', textOf(sent, 'task_id'))).toMatchObject({
    ok: true,
    task: { created_at: expect.stringMatching(RFC_3339), completed_at: null },
    events: [{ created_at: expect.stringMatching(RFC_3339) }],
  });
  expect(await ask('whoami')).toMatchObject({ ok: true });
  expect(await ask('version')).toMatchObject({ ok: true });
  expect(await outputOf(cli, ['task', textOf(sent, 'task_id')])).toMatch(/^delivered +[\d :-]+ UTC \(/m);

  const waiting = run(cli, ['send', '--wait=60', '-o', 'json', 'builder', 'y']);
  await expect.poll(async () => JSON.stringify(await agent.call('get_inbox', { alias: 'builder' }))).toContain('"y"');
  const { tasks } = await ask('tasks', '--text', 'y');
  const [task] = Array.isArray(tasks) ? tasks : [];
  await outputOf(cli, ['reply', textOf(task, 'task_id'), 'no', '--status', 'failed']);
  const { code, stdout, stderr } = await waiting;
  expect(code).toBe(5);
  expect(objectIn(stdout)).toMatchObject({ ok: false, status: 'failed', result: 'no' });
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => objectIn(line)),
  ).toEqual([
    { note: expect.stringContaining('sent to builder') },
    { ok: false, error: 'task_unsuccessful', message: expect.stringContaining('failed'), exit_code: 5 },
  ]);
});

test.skipIf(!hasTerminal)('a table is cut to the width of the terminal only if the terminal knows it', async () => {
  const { hub } = await hubOfAda({ target: ANY_TARGET });
  const cli = newCli(ANY_TARGET, { AGENTHUB_DATA: hub.data });
  // The terminal of `script` has no width.
  const whole = startOnTerminal(cli, ['user', 'list']);
  expect(await whole.ended).toBe(0);
  expect(whole.screen()).toMatch(/ada .* usr_\w{22}\r\n/);
  const cut = startOnTerminal(cli, ['user', 'list'], { COLUMNS: '40' });
  expect(await cut.ended).toBe(0);
  expect(cut.screen()).toMatch(/^ada .{35}…\r$/m);
});
