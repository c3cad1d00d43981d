// The commands that manage users, tokens and networks, on a running hub, which applies them immediately, and on a
// stopped one; and the requests they refuse.
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type EventReader, openEvents } from '../../support/http/event-reader.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { type JsonObject, listOf, objectIn, objectOf, textOf } from '../../support/json.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { runToItsEnd, startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';
import { readStoredData } from '../../support/store/stored-data.ts';

const AT_ONCE_MS = 1_000;

storyOnce('an operator', (target) => {
  const cliOn = (data: string): Cli => newCli(target, { AGENTHUB_DATA: data });
  const ask = async (cli: Cli, ...words: string[]): Promise<JsonObject> =>
    objectIn(await outputOf(cli, [...words, '-o', 'json']));

  test('manages users and tokens of a running hub, which applies changes immediately', async () => {
    const { hub, networkToken, networkId, userToken } = await hubOfAda({ target });
    const cli = cliOn(hub.data);
    expect(statSync(join(hub.data, 'agenthub.sock')).mode & 0o777).toBe(0o600);

    const created = await ask(cli, 'user', 'create', 'bob', '--email', 'bob@example.org');
    expect(created).toMatchObject({
      user: { username: 'bob', role: 'user' },
      network_token: expect.stringMatching(/^ntok_/),
    });
    const bobs = textOf(created, 'network_token');
    expect((await restClient(hub.url, bobs).get('/api/status')).status).toBe(200);
    const login = (password: string) => restClient(hub.url).post('/api/auth/login', { username: 'bob', password });
    const signedIn = await login(textOf(created, 'password'));
    expect(signedIn.status).toBe(200);

    const stream = await openEvents(`${hub.url}/events/bob`, bobs);
    await outputOf(cli, ['user', 'disable', 'bob']);
    await endsAtOnce(stream);
    expect((await restClient(hub.url, bobs).get('/api/status')).status).toBe(401);
    expect((await restClient(hub.url, textOf(signedIn.body, 'token')).get('/api/auth/me')).status).toBe(401);
    expect(await login(textOf(created, 'password'))).toMatchObject({
      status: 403,
      body: { error: 'account_disabled' },
    });
    expect((await login('wrong password')).status).toBe(401);
    await outputOf(cli, ['user', 'enable', 'bob']);
    expect((await restClient(hub.url, bobs).get('/api/status')).status).toBe(200);

    expect(await ask(cli, 'user', 'reset-password', 'bob')).toMatchObject({ username: 'bob', ended_sign_ins: 1 });
    expect((await restClient(hub.url, textOf(signedIn.body, 'token')).get('/api/auth/me')).status).toBe(401);
    expect((await restClient(hub.url, bobs).get('/api/status')).status).toBe(200);

    expect((await restClient(hub.url, userToken).get('/api/users')).status).toBe(200);
    await outputOf(cli, ['user', 'set-role', 'bob', 'admin']);
    await outputOf(cli, ['user', 'set-role', 'ada', 'user']);
    expect((await restClient(hub.url, userToken).get('/api/users')).status).toBe(403);
    await outputOf(cli, ['user', 'set-role', 'ada', 'admin']);

    const token = await ask(
      cli,
      'token',
      'create',
      'for ci',
      '--user',
      'ada',
      '--network',
      'ada',
      '--expires-in-days',
      '30',
    );
    expect(token).toMatchObject({ token: expect.stringMatching(/^ntok_/), network_id: networkId, username: 'ada' });
    const agents = await openEvents(`${hub.url}/events/ci`, textOf(token, 'token'));
    expect(await mcpClient(hub.url, textOf(token, 'token')).call('get_all_status')).toMatchObject({ ok: true });
    await outputOf(cli, ['token', 'revoke', textOf(token, 'token_id'), '--yes']);
    await endsAtOnce(agents);
    expect((await restClient(hub.url, textOf(token, 'token')).get('/api/status')).status).toBe(401);
    expect((await restClient(hub.url, networkToken).get('/api/status')).status).toBe(200);

    const entries = listOf(
      (await restClient(hub.url, userToken).get('/api/audit-log?actor=command%20line')).body,
      'entries',
    ).map((entry) => textOf(entry, 'action'));
    expect(entries.reverse()).toEqual([
      'user.create',
      'user.disable',
      'user.enable',
      'user.password',
      'user.role',
      'user.role',
      'user.role',
      'token.create',
      'token.revoke',
    ]);
    expect(await hub.stop()).toBe(0);
    expect(existsSync(join(hub.data, 'agenthub.sock'))).toBe(false);
  });

  test('manages a stopped hub with the same commands, and the hub applies the changes at its next start', async () => {
    const { hub: first, networkToken, networkId } = await hubOfAda({ target });
    await mcpClient(first.url, networkToken).call('report_status', {
      resume_id: 'r-1',
      alias: 'worker',
      status: 'idle',
    });
    await first.kill('SIGKILL'); // leaves its socket behind
    const cli = cliOn(first.data);

    await run(cli, ['user', 'create', 'eve', '--role', 'admin', '--password-stdin'], { input: 'eves password\n' });
    await outputOf(cli, ['user', 'disable', 'ada']);
    const eves = await ask(cli, 'network', 'create', 'build', '--owner', 'eve', '--description', 'what eve builds');
    const token = (await outputOf(cli, ['token', 'create', 'ci', '--user', 'eve', '--network', 'build'])).trim();
    expect(listOf(await ask(cli, 'user', 'list'), 'users')).toMatchObject([
      { username: 'ada', role: 'admin', disabled: true, networks: 1 },
      { username: 'eve', disabled: false, networks: 2 },
    ]);
    expect(listOf(await ask(cli, 'token', 'list', '--user', 'eve'), 'tokens')).toMatchObject([
      { name: 'user create', kind: 'network' },
      { name: 'ci', network_name: 'build', expired: false },
    ]);
    expect(listOf(await ask(cli, 'network', 'list'), 'networks')).toMatchObject([
      { network_id: networkId, owner: 'ada', members: 1, sessions: 1 },
      { network_name: 'eve' },
      { network_name: 'build', description: 'what eve builds' },
    ]);
    expect(await run(cli, ['network', 'delete', networkId, '--yes'])).toMatchObject({
      code: 1,
      stderr: 'agenthub: 1 session is not offline; a network can be deleted only when all sessions are offline\n',
    });
    await outputOf(cli, ['network', 'delete', networkId, '--force', '--yes']);

    const again = await startHub({ target, data: first.data });
    expect((await restClient(again.url, networkToken).get('/api/status')).status).toBe(401);
    expect((await restClient(again.url, token).get('/api/status')).status).toBe(200);
    expect(await restClient(again.url).post('/api/auth/login', { username: 'ada', password: PASSWORD })).toMatchObject({
      status: 403,
    });
    const eve = await restClient(again.url).post('/api/auth/login', { username: 'eve', password: 'eves password' });
    expect(objectOf(eve.body, 'user')).toMatchObject({ username: 'eve', role: 'admin' });
    await outputOf(cli, ['network', 'delete', textOf(eves, 'network_id'), '--yes']);
    expect((await restClient(again.url, token).get('/api/status')).status).toBe(401);
  });

  test('prunes a running hub and a stopped one, or only counts', async () => {
    const { hub, networkToken } = await hubOfAda({ target, args: ['--keep-tasks-days', '3'] });
    await mcpClient(hub.url, networkToken).call('send_task', { alias: 'worker', task: 'build it' });
    const cli = cliOn(hub.data);
    const none = { events: 0, messages: 0, tasks: 0, completions: 0, nodes: 0, audit_entries: 0 };
    expect(await ask(cli, 'prune', '--dry-run')).toMatchObject({
      dry_run: true,
      keep_tasks_days: 3,
      keep_messages_days: 90,
      pruned: none,
    });
    expect(await ask(cli, 'prune', '--keep-messages-days', '7', '--yes')).toMatchObject({
      dry_run: false,
      keep_tasks_days: 3,
      keep_messages_days: 7,
      pruned: none,
    });
    const { code, stderr } = await run(cli, ['prune', '--keep-events-hours', '0']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'agenthub: --keep-events-hours is "0" but must be a whole number from 1 to 8760\n',
    });
    await hub.stop();
    expect(await outputOf(cli, ['prune', '--yes'])).toBe(
      'deleted\nevents         0\nmessages       0\ntasks          0\ncompletions    0\nnodes          0\naudit entries  0\n',
    );
    const stored = await readStoredData(hub.data);
    expect(await stored.rows("SELECT count(*) FROM audit_log WHERE action = 'hub.prune'")).toEqual([[2]]);
    stored.close();
  });

  test('gets a refusal in one line, and nothing changes', async () => {
    const { hub } = await hubOfAda({ target });
    const cli = cliOn(hub.data);
    await outputOf(cli, ['network', 'create', 'ada', '--owner', 'ada']);
    const stored = await readStoredData(hub.data);
    const audited = await stored.rows('SELECT count(*) FROM audit_log');
    const refused: [words: string[], line: string, code?: number][] = [
      [['user', 'disable', 'nobody'], 'user nobody does not exist; agenthub user list shows all users'],
      [['user', 'reset-password', 'nobody'], 'user nobody does not exist'],
      [['user', 'create', 'ADA'], 'the username ADA is taken; choose another'],
      [
        ['user', 'create', 'a b'],
        "value 'a b' is invalid for argument 'username'. It must be letters, digits, underscores or Chinese characters",
        2,
      ],
      [
        ['user', 'disable', 'ada'],
        'ada is the only admin of this hub; create another one first with `agenthub user set-role USER admin`',
      ],
      [['user', 'set-role', 'ada', 'user'], 'ada is the only admin of this hub; create another one first'],
      [
        ['user', 'set-role', 'ada', 'king'],
        "value 'king' is invalid for argument 'role'. Allowed choices are admin, user.",
        2,
      ],
      [['token', 'create', 'ci', '--user', 'ada', '--network', 'nowhere'], 'network nowhere does not exist'],
      [
        ['token', 'create', 'ci', '--user', 'ada', '--network', 'ada'],
        'more than one network is named ada; give the id',
        2,
      ],
      [['token', 'revoke', 'tok_none', '--yes'], 'token tok_none does not exist'],
      [['token', 'list', '--user', 'nobody'], 'user nobody does not exist'],
      [['network', 'create', 'x', '--owner', 'nobody'], 'user nobody does not exist'],
      [['network', 'delete', 'net_none', '--yes'], 'network net_none does not exist'],
    ];
    for (const [words, line, expected = 1] of refused) {
      const { code, stdout, stderr } = await run(cli, words);
      expect.soft({ words, code, stdout }).toEqual({ words, code: expected, stdout: '' });
      expect.soft(stderr).toMatch(/^agenthub: [^\n]+\n$/);
      expect.soft(stderr).toContain(line);
    }
    expect(await run(cli, ['user', 'create', 'bob', '--password-stdin'], { input: 'short' })).toMatchObject({
      code: 2,
      stderr: 'agenthub: password must have at least 6 characters\n',
    });
    expect(await run(cli, ['user', 'create', 'bob', '--password-stdin'], { input: '' })).toMatchObject({ code: 2 });
    expect(await stored.rows('SELECT count(*) FROM audit_log')).toEqual(audited);
    stored.close();
  });

  test('does not create a hub in a directory without one', async () => {
    const directory = temporaryDirectory();
    const { code, stderr } = await run(cliOn(join(directory, 'none')), ['user', 'list']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `agenthub: there is no hub in ${join(directory, 'none')}: start it there once with agenthub serve, or name another directory with --data; if its files were deleted under a running hub, see "When something is wrong" in OPERATING.md\n`,
    });
    expect(readdirSync(directory)).toEqual([]);
    writeFileSync(join(directory, 'file'), 'mine');
    expect((await run(cliOn(join(directory, 'file')), ['user', 'list'])).stderr).toContain('there is no hub in');
  });
});

async function endsAtOnce(stream: EventReader): Promise<void> {
  const since = performance.now();
  await stream.ended;
  expect(performance.now() - since).toBeLessThan(AT_ONCE_MS);
}

describe('the socket', () => {
  test('works with a data directory of any path length', async () => {
    const data = join(temporaryDirectory(), 'a directory '.repeat(12), 'data');
    const hub = await startHub({ target: ANY_TARGET, data });
    await register(hub.url);
    expect(await runToItsEnd({ target: ANY_TARGET, args: ['user', 'list', '--data', data] })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ada'),
    });
    expect(await hub.stop()).toBe(0);
    expect(existsSync(join(data, 'agenthub.sock'))).toBe(false);
  });
});
