// An unattended installation: the first admin comes from the environment, the public address from the file, and users
// register with an invite.
import { rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PASSWORD, restClient } from '../../support/http/rest-client.ts';
import { listOf, objectOf, textOf } from '../../support/json.ts';
import { startHub, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const PUBLIC = 'https://hub.example.org';

storyOnce('an unattended install', (target) => {
  test('the admin signs in and creates an invite, an invited user registers into the network, and the public address is used everywhere', async () => {
    const data = temporaryDirectory();
    const secret = join(temporaryDirectory(), 'password');
    writeFileSync(secret, `${PASSWORD}\n`);
    writeFileSync(
      join(data, 'agenthub.json'),
      JSON.stringify({ public_url: PUBLIC, registration: 'invite', regisration: 'open' }),
    );
    const env = { AGENTHUB_ADMIN_USERNAME: 'root', AGENTHUB_ADMIN_PASSWORD_FILE: secret };
    const hub = await startHub({ target, data, env });
    expect(hub.output()).toContain('unknown key regisration is ignored; did you mean registration?');
    expect(hub.output()).toContain(`"public_url":"${PUBLIC}"`);
    expect(hub.output()).not.toContain('no users yet');
    expect(hub.output()).not.toContain(PASSWORD);

    const visitor = restClient(hub.url);
    const { body: login } = await visitor.post('/api/auth/login', { username: 'root', password: PASSWORD });
    expect(login).toMatchObject({ ok: true, user: { role: 'admin' } });
    const admin = restClient(hub.url, textOf(login, 'token'));
    const { body: invite } = await admin.post(`/api/networks/${textOf(login, 'network_id')}/invite`, {});
    const bob = { username: 'bob', password: PASSWORD };
    expect(await visitor.post('/api/auth/register', bob)).toMatchObject({
      status: 403,
      body: { error: 'invite_required' },
    });
    const { status, body } = await visitor.post('/api/auth/register', {
      ...bob,
      invite_code: textOf(invite, 'invite_code'),
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { user: { role: 'user' }, joined: { network_name: 'root', role: 'member' } },
    });
    expect(
      await restClient(hub.url, textOf(objectOf(body, 'joined'), 'network_token')).get('/api/status'),
    ).toMatchObject({ status: 200 });
    expect(listOf((await admin.get('/api/users')).body, 'users')).toHaveLength(2);

    expect((await visitor.get('/health')).body).toMatchObject({
      public_url: PUBLIC,
      registration: 'invite',
      setup: 'done',
    });
    expect((await visitor.get('/openapi.json')).body).toMatchObject({ servers: [{ url: PUBLIC }] });
    expect(await (await fetch(`${hub.url}/llms.txt`)).text()).toContain(
      `claude mcp add --transport http hub ${PUBLIC}/mcp`,
    );
    expect([await statusUnder(hub.url, 'hub.example.org'), await statusUnder(hub.url, 'evil.example')]).toEqual([
      200, 403,
    ]);
    expect(await hub.stop()).toBe(0);

    const again = await startHub({
      target,
      data,
      env: { AGENTHUB_ADMIN_USERNAME: 'second', AGENTHUB_ADMIN_PASSWORD: 'never used' },
    });
    expect(
      await restClient(again.url).post('/api/auth/login', { username: 'second', password: 'never used' }),
    ).toMatchObject({ status: 401 });
    expect(await again.stop()).toBe(0);

    rmSync(secret);
    const last = await startHub({ target, data, env });
    expect(last.output()).toContain('cannot be read: ENOENT; it is not needed, because the hub has been set up');
    expect((await restClient(last.url).post('/api/auth/login', { username: 'root', password: PASSWORD })).status).toBe(
      200,
    );
  });

  test('with a public address, even a local hub requires the setup token for the first user, and prints the link', async () => {
    const hub = await startHub({ target, args: ['--public-url', PUBLIC] });
    await expect.poll(hub.output).toMatch(new RegExp(`becomes admin, at ${PUBLIC}/#setup=\\w{24}`));
    const ada = { username: 'ada', password: PASSWORD };
    expect(await restClient(hub.url).post('/api/auth/register', ada)).toMatchObject({
      status: 403,
      body: { error: 'setup_token_required' },
    });
    const token = /#setup=(\w{24})/.exec(hub.output())?.[1] ?? '';
    expect(await restClient(hub.url, token).post('/api/auth/register', ada)).toMatchObject({
      status: 200,
      body: { user: { role: 'admin' } },
    });
    const bob = { username: 'bob', password: PASSWORD };
    expect(await restClient(hub.url).post('/api/auth/register', bob)).toMatchObject({
      status: 403,
      body: { error: 'invite_required' },
    });
  });

  test('behind an unexpected proxy, a local hub requires the setup token, and logs it for the operator', async () => {
    const hub = await startHub({ target });
    const register = async (token?: string): Promise<unknown> => {
      const headers = {
        'Content-Type': 'application/json',
        'X-Forwarded-For': '192.0.2.1',
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      };
      return (
        await fetch(`${hub.url}/api/auth/register`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ username: 'ada', password: PASSWORD }),
        })
      ).json();
    };
    expect(hub.output()).not.toMatch(/setup/);
    expect(await register()).toMatchObject({ error: 'setup_token_required' });
    await expect.poll(hub.output).toMatch(/"setup_token":"\w{24}"/);
    expect(await register(/"setup_token":"(\w+)"/.exec(hub.output())?.[1])).toMatchObject({ user: { role: 'admin' } });
    expect(await restClient(hub.url).post('/api/auth/register', { username: 'bob', password: PASSWORD })).toMatchObject(
      { status: 200 },
    );
  });
});

/** fetch does not allow setting the Host header. */
function statusUnder(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/health`, { headers: { host }, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once('error', reject)
      .end();
  });
}
