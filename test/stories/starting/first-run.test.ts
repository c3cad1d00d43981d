// A new user starts agenthub for the first time and sets it up.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import { newCli, run } from '../../support/process/command-line.ts';
import { startHub, story, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

story('the first run', (target) => {
  test('an empty directory becomes a hub whose first user is its admin, with working tokens', async () => {
    const hub = await startHub({ target });
    await expect.poll(hub.output).toContain(`no users yet; register the first user, who becomes admin, at ${hub.url}/`);
    const visitor = restClient(hub.url);
    expect((await visitor.get('/health')).body).toMatchObject({
      status: 'ok',
      version: expect.any(String),
      uptime: expect.any(Number),
    });

    const registered = await visitor.post('/api/auth/register', {
      username: 'Ada_林',
      password: PASSWORD,
      email: 'ada@example.org',
    });
    expect(registered).toMatchObject({
      status: 200,
      body: {
        ok: true,
        user: { user_id: expect.any(String), username: 'Ada_林', display_name: 'Ada_林', role: 'admin' },
        token: expect.stringMatching(/^utok_/),
        network_token: expect.stringMatching(/^ntok_/),
        network_id: expect.any(String),
      },
    });
    expect(JSON.stringify(registered.body)).not.toContain(PASSWORD);

    const user = restClient(hub.url, textOf(registered.body, 'token'));
    expect(await user.get('/api/auth/me')).toMatchObject({
      status: 200,
      body: { ok: true, user: objectOf(registered.body, 'user') },
    });
    const agent = mcpClient(hub.url, textOf(registered.body, 'network_token'));
    expect(await agent.call('get_all_status')).toMatchObject({ ok: true, sessions: [], summary: [] });
  });
});

storyOnce('the first run of a service', (target) => {
  test('requires the setup link in its log, although only this machine can reach it', async () => {
    const data = temporaryDirectory();
    const printed = await run(newCli(target), ['systemd', 'print', '--data', data]);
    const [, name = '', value = ''] = /^Environment=(\w+)=(\w+)$/m.exec(printed.stdout) ?? [];
    const hub = await startHub({ target, data, env: { [name]: value } });
    await expect.poll(hub.output).toContain('#setup=');
    const [, token] = /"url":"http:\/\/127[^"]*#setup=(\w+)"/.exec(hub.output()) ?? [];
    const apply = (username: string, bearer?: string) =>
      restClient(hub.url, bearer).post('/api/auth/register', { username, password: PASSWORD });
    expect(await apply('eve')).toMatchObject({ status: 403, body: { error: 'setup_token_required' } });
    expect(await apply('ada', token)).toMatchObject({ status: 200, body: { user: { role: 'admin' } } });
  });
});

storyOnce('after the first run', (target) => {
  test('signing in returns a new token, and a wrong password and a wrong name get the same error', async () => {
    const hub = await startHub({ target });
    const account = await register(hub.url, 'ada');
    const visitor = restClient(hub.url);
    const login = await visitor.post('/api/auth/login', { username: 'ADA', password: PASSWORD });
    const ada = { ok: true, user: { username: 'ada', role: 'admin' }, network_id: account.networkId };
    expect(login).toMatchObject({ status: 200, body: ada });
    expect(login.body).not.toHaveProperty('network_token');
    expect(textOf(login.body, 'token')).not.toBe(account.userToken);
    expect((await restClient(hub.url, textOf(login.body, 'token')).get('/api/auth/me')).status).toBe(200);

    const wrongPassword = await visitor.post('/api/auth/login', { username: 'ada', password: `${PASSWORD}r` });
    const wrongName = await visitor.post('/api/auth/login', { username: 'eve', password: PASSWORD });
    expect(wrongPassword).toMatchObject({ status: 401, body: { error: 'invalid_credentials' } });
    expect(wrongName).toMatchObject({ status: 401, body: wrongPassword.body });
  });

  test('of many concurrent first registrations, exactly one is admin', async () => {
    const hub = await startHub({ target });
    const names = ['ada', 'bob', 'cid'];
    const apply = (username: string) =>
      restClient(hub.url).post('/api/auth/register', { username, password: PASSWORD });
    const responses = await Promise.all(names.map(apply));
    const roles = responses.map(({ body }) => textOf(objectOf(body, 'user'), 'role'));
    expect(roles.sort()).toEqual(['admin', 'user', 'user']);
    expect(await apply('ADA')).toMatchObject({ status: 400, body: { error: 'username_taken' } });
  });

  test('its files are readable by the owner only, and survive a restart', async () => {
    const data = join(temporaryDirectory(), 'made', 'on the way');
    const first = await startHub({ target, data });
    const { networkToken } = await register(first.url);
    await mcpClient(first.url, networkToken).call('report_status', { resume_id: 'r-1', alias: '小明', status: 'idle' });
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, 'agenthub.db')).mode & 0o777).toBe(0o600);
    expect(await first.stop()).toBe(0);

    const second = await startHub({ target, data });
    expect(second.output()).not.toContain('no users yet');
    const { body } = await restClient(second.url, networkToken).get('/api/status');
    expect(listOf(body, 'sessions')).toMatchObject([{ alias: '小明', status: 'idle' }]);
  });
});
