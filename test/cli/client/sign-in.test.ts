// Signing in and out: which credentials are stored where, who can read them, and which token is sent to which hub.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { type Cli, newCli, outputOf, run } from '../../support/process/command-line.ts';
import { ANY_TARGET } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { startHub, storyOnce } from '../../support/process/running-hub.ts';
import { hasTerminal, startOnTerminal } from '../../support/process/terminal.ts';

const storedAt = (cli: Cli): string => join(cli.home, '.config', 'agenthub', 'credentials.json');

const signIn = (cli: Cli, url: string): Promise<string> =>
  outputOf(cli, ['login', url, '--username', 'ada', '--password-stdin'], { input: `${PASSWORD}\n` });

storyOnce('signing in', (target) => {
  test('login stores tokens readable only by the user, whoami shows the user, logout revokes the tokens', async () => {
    const { hub, userToken } = await hubOfAda({ target });
    const cli = newCli(target);
    expect(await run(cli, ['status'])).toMatchObject({
      code: 4,
      stdout: '',
      stderr: expect.stringMatching(/^agenthub: not signed in to .*run agenthub login.*\n$/),
    });

    expect(await signIn(cli, `${hub.url}/`)).toBe(`signed in to ${hub.url} as ada, in the network ada\n`);
    expect(statSync(storedAt(cli)).mode & 0o777).toBe(0o600);
    expect(statSync(join(storedAt(cli), '..')).mode & 0o777).toBe(0o700);
    expect(readFileSync(storedAt(cli), 'utf8')).not.toContain(PASSWORD);
    expect(await outputOf(cli, ['whoami'])).toMatch(/^user +ada$/m);
    expect(JSON.parse(await outputOf(cli, ['whoami', '-o', 'json']))).toMatchObject({
      url: hub.url,
      user: { username: 'ada', role: 'admin' },
      networks: [{ member_role: 'owner' }],
    });
    expect(await outputOf(cli, ['status'])).toBe('no agent has reported yet\n');

    const [networkToken = ''] = /ntok_\w+/.exec(readFileSync(storedAt(cli), 'utf8')) ?? [];
    expect((await restClient(hub.url, networkToken).get('/api/status')).status).toBe(200);
    expect(await outputOf(cli, ['logout'])).toContain(`signed out of ${hub.url}`);
    expect(existsSync(storedAt(cli))).toBe(false);
    expect((await restClient(hub.url, networkToken).get('/api/status')).status).toBe(401);
    expect((await restClient(hub.url, userToken).get('/api/auth/me')).status).toBe(200);
    expect(await outputOf(cli, ['logout'])).toBe('not signed in\n');

    await signIn(cli, hub.url);
    await hub.stop();
    expect(await run(cli, ['logout'])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(
        /^agenthub: the hub is unreachable, so these tokens stay valid: tok_\w+, tok_\w+; revoke them on the hub's machine/,
      ),
    });
    expect(existsSync(storedAt(cli))).toBe(false);
  });

  test('signing in again replaces the network token; a wrong password changes nothing', async () => {
    const { hub, userToken } = await hubOfAda({ target });
    const cli = newCli(target);
    await signIn(cli, hub.url);
    await signIn(cli, hub.url);
    const { body } = await restClient(hub.url, userToken).get('/api/tokens');
    expect(listOf(body, 'tokens').filter(({ name }) => String(name).startsWith('agenthub login on'))).toHaveLength(1);

    const { host } = new URL(hub.url);
    await outputOf(cli, ['login', '--hub', host, '--password-stdin'], { input: PASSWORD });
    const unknown = await run(cli, ['login', hub.url, '--context', 'new', '--password-stdin'], { input: PASSWORD });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('pass --username') });

    const before = readFileSync(storedAt(cli), 'utf8');
    expect(await run(cli, ['login', '--username', 'ada', '--password-stdin'], { input: 'wrong one' })).toMatchObject({
      code: 4,
      stdout: '',
      stderr: 'agenthub: invalid_credentials: the username or the password is wrong\n',
    });
    expect(
      await run(cli, ['login', '--username', 'ada', '--password-stdin', '--network', 'nowhere'], { input: PASSWORD }),
    ).toMatchObject({
      code: 1,
      stderr: 'agenthub: you are not a member of network nowhere; your networks: ada\n',
    });
    expect(readFileSync(storedAt(cli), 'utf8')).toBe(before);
    expect(readdirSync(join(storedAt(cli), '..'))).toEqual(['credentials.json']);
  });
});

describe('prompting on a terminal', () => {
  test.skipIf(!hasTerminal)('the password is not echoed', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const terminal = startOnTerminal(newCli(ANY_TARGET), ['login', hub.url]);
    await terminal.shows('Username: ');
    terminal.type('ada\r');
    await terminal.shows('Password: ');
    terminal.type(`${PASSWORD}\r`);
    await terminal.shows(`signed in to ${hub.url} as ada`);
    expect(terminal.screen()).not.toContain(PASSWORD);
  });

  test.skipIf(!hasTerminal)('a password that is pasted with the username is not echoed', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const terminal = startOnTerminal(newCli(ANY_TARGET), ['login', hub.url]);
    await terminal.shows('Username: ');
    terminal.type(`ada\r${PASSWORD}\r`);
    await terminal.shows(`signed in to ${hub.url} as ada`);
    expect(terminal.screen()).toContain('ada');
    expect(terminal.screen()).not.toContain(PASSWORD);
  });

  test.skipIf(!hasTerminal)('a password that is typed while the hub does not respond is not echoed', async () => {
    const arrived = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      arrived.resolve();
      const answer = request.url === '/health' ? { status: 'ok', version: '1' } : { error: 'invalid_credentials' };
      void answered.promise.then(() => response.writeHead('error' in answer ? 401 : 200).end(JSON.stringify(answer)));
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const terminal = startOnTerminal(newCli(ANY_TARGET), ['login', url, '--username', 'ada']);
    await arrived.promise;
    terminal.type(`${PASSWORD}\r`);
    answered.resolve();
    await terminal.shows('invalid_credentials');
    expect(await terminal.ended).toBe(4);
    expect(terminal.screen()).toContain('Password: ');
    expect(terminal.screen()).not.toContain(PASSWORD);
  });

  test.skipIf(!hasTerminal)('Ctrl-C at the prompt changes nothing', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET);
    const terminal = startOnTerminal(cli, ['login', hub.url]);
    await terminal.shows('Username: ');
    terminal.type('\x03');
    expect(await terminal.ended).toBe(1);
    expect(terminal.screen()).toContain('nothing was changed');
    expect(existsSync(storedAt(cli))).toBe(false);
  });

  test('without a terminal, the error names the options to pass', async () => {
    const hub = await startHub({ target: ANY_TARGET });
    expect(await run(newCli(ANY_TARGET), ['login', hub.url])).toMatchObject({
      code: 2,
      stderr: 'agenthub: cannot prompt without a terminal; pass --username and --password-stdin\n',
    });
  });
});

describe('the source and the destination of tokens', () => {
  test('the environment takes precedence, a token may be in a file, and agent commands require a network token', async () => {
    const { hub, userToken, networkToken } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: hub.url });
    writeFileSync(join(cli.home, 'token'), `${networkToken}\n`);
    expect(await outputOf(cli, ['status'], { env: { AGENTHUB_TOKEN_FILE: join(cli.home, 'token') } })).toContain(
      'no agent',
    );
    expect(await run(cli, ['status'], { env: { AGENTHUB_TOKEN_FILE: join(cli.home, 'none') } })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('AGENTHUB_TOKEN_FILE names'),
    });
    expect(await outputOf(cli, ['whoami'], { env: { AGENTHUB_TOKEN: networkToken } })).toContain('a network token');
    expect(await outputOf(cli, ['whoami'], { env: { AGENTHUB_TOKEN: userToken } })).toMatch(/^user +ada$/m);
    expect(await outputOf(cli, ['status'], { env: { AGENTHUB_TOKEN: userToken } })).toContain('no agent');
    expect(await run(cli, ['inbox', '--alias', 'a'], { env: { AGENTHUB_TOKEN: userToken } })).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('needs a network token'),
    });
  });

  const REFUSED: readonly [token: string, line: string][] = [
    ['ntok_00000000000000000000000000000000000f', 'run agenthub login'],
    ['secret', 'AGENTHUB_TOKEN is not a token: it must begin with ntok_ or utok_'],
  ];
  test.each(REFUSED)('the token %s is refused with code 4', async (AGENTHUB_TOKEN, line) => {
    const hub = await startHub({ target: ANY_TARGET });
    const { code, stdout, stderr } = await run(newCli(ANY_TARGET, { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN }), [
      'tasks',
    ]);
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^agenthub: [^\n]+\n$/);
    expect(stderr).toContain(line);
  });

  test('a viewer who sends is refused with code 4', async () => {
    const hub = await startHub({ target: ANY_TARGET });
    const owner = await register(hub.url, 'ada');
    const viewer = await register(hub.url, 'eve');
    const invite = await restClient(hub.url, owner.userToken).post(`/api/networks/${owner.networkId}/invite`, {
      role: 'viewer',
    });
    const joined = await restClient(hub.url, viewer.userToken).post('/api/networks/join', {
      invite_code: textOf(invite.body, 'invite_code'),
    });
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: textOf(joined.body, 'network_token') });
    expect(await run(cli, ['send', 'builder', 'x'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('permission_denied'),
    });
  });

  test('a refused connection is code 3, with a remedy', async () => {
    const { url, close } = await listen(() => [200, '{}']);
    await close();
    const cli = newCli(ANY_TARGET, { AGENTHUB_URL: url, AGENTHUB_TOKEN: 'ntok_x' });
    expect(await run(cli, ['tasks'])).toMatchObject({
      code: 3,
      stdout: '',
      stderr: `agenthub: cannot reach the hub at ${url} (connection refused); start it, or select another hub with --hub, agenthub login or AGENTHUB_URL\n`,
    });
    expect(await run(cli, ['login', 'http://no.such.host.invalid'])).toMatchObject({ code: 3 });
    expect(readdirSync(cli.home)).toEqual([]);
  });

  test('a server that is not a hub is reported', async () => {
    const { url } = await listen((_headers) => [404, '<h1>Not here</h1>']);
    expect(await run(newCli(ANY_TARGET, { AGENTHUB_URL: url, AGENTHUB_TOKEN: 'ntok_x' }), ['tasks'])).toMatchObject({
      code: 1,
      stderr: `agenthub: the server at ${url} is not an agenthub hub (status 404); check the address\n`,
    });
  });

  test('a stored token is never sent to another hub', async () => {
    const { hub } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET);
    await signIn(cli, hub.url);
    const received: IncomingHttpHeaders[] = [];
    const otherServer = await listen((headers) => {
      received.push(headers);
      return [200, '{}'];
    });
    expect(await run(cli, ['status'], { env: { AGENTHUB_URL: otherServer.url } })).toMatchObject({ code: 4 });
    expect(received).toEqual([]);
  });

  test('credentials that cannot be stored are an error, and their network token is revoked', async () => {
    const { hub, userToken } = await hubOfAda({ target: ANY_TARGET });
    const cli = newCli(ANY_TARGET);
    writeFileSync(join(cli.home, '.config'), 'a file in the way');
    expect(
      await run(cli, ['login', hub.url, '--username', 'ada', '--password-stdin'], { input: PASSWORD }),
    ).toMatchObject({ code: 1, stderr: expect.stringContaining(`cannot write ${storedAt(cli)}`) });
    const { body } = await restClient(hub.url, userToken).get('/api/tokens');
    expect(listOf(body, 'tokens').map(({ name }) => name)).not.toContainEqual(
      expect.stringContaining('agenthub login on'),
    );
  });

  test('a damaged file is named, and a file that others can read causes a warning', async () => {
    const cli = newCli(ANY_TARGET);
    mkdirSync(join(storedAt(cli), '..'), { recursive: true });
    writeFileSync(storedAt(cli), '{"url": "http://127', { mode: 0o600 });
    expect(await run(cli, ['status'])).toMatchObject({
      code: 4,
      stderr: `agenthub: ${storedAt(cli)} is damaged or from an earlier version; run agenthub login to replace it\n`,
    });

    const { hub } = await hubOfAda({ target: ANY_TARGET });
    await signIn(cli, hub.url);
    chmodSync(storedAt(cli), 0o644);
    expect(await run(cli, ['status'])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`${storedAt(cli)} is readable by other users`),
    });
  });
});

async function listen(
  reply: (headers: IncomingHttpHeaders) => [status: number, body: string],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const [status, body] = reply(request.headers);
    response.writeHead(status).end(body);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
