// An attack, part three: attempts to become the admin, to register without an invite, to learn how busy others are, and
// to inject terminal escapes.
import { expect, test } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { sendRaw } from '../../support/http/raw-request.ts';
import { PASSWORD, register, restClient } from '../../support/http/rest-client.ts';
import { objectIn } from '../../support/json.ts';
import { launch } from '../../support/process/hub-process.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { type RunningHub, startHub, storyOnce } from '../../support/process/running-hub.ts';

storyOnce('attempts to gain access', (target) => {
  test('the first registration through a proxy does not become the admin', async () => {
    const hub = await startHub({ target });
    const refused = await sendRaw(hub.url, {
      path: '/api/auth/register',
      headers: { ...JSON_BODY, 'X-Forwarded-For': '203.0.113.7' },
      body: credentials('mallory'),
    });
    expect(refused).toMatchObject({ status: 403, body: { error: 'setup_token_required' } });
    const { user } = await register(hub.url, 'ada');
    expect(user.role).toBe('admin');
  });

  test('a public hub requires an invite unless configured otherwise', async () => {
    const hub = await startHub({
      target,
      args: ['--host', '0.0.0.0'],
      env: { AGENTHUB_ADMIN_USERNAME: 'ada', AGENTHUB_ADMIN_PASSWORD: PASSWORD },
    });
    expect(await registering(hub)).toMatchObject({ status: 403, body: { error: 'invite_required' } });
    const open = await startHub({
      target,
      args: ['--host', '0.0.0.0', '--registration', 'open'],
      env: { AGENTHUB_ADMIN_USERNAME: 'ada', AGENTHUB_ADMIN_PASSWORD: PASSWORD },
    });
    expect((await registering(open)).status).toBe(200);
  });

  test('ids and cursors do not reveal the activity of another network', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const mallory = await register(hub.url, 'mallory');
    const mine = restClient(hub.url, mallory.networkToken);
    const reader = await openEvents(`${hub.url}/events`, mallory.networkToken);
    const ids: string[] = [];
    for (const busy of [1, 20]) {
      for (let sent = 0; sent < busy; sent++)
        await restClient(hub.url, networkToken).post('/api/messages', {
          alias: 'bob',
          message: 'x',
          from_session: 'alice',
        });
      const message = `after ${busy}`;
      await mine.post('/api/messages', { alias: 'm', message, from_session: 'mallory' });
      ids.push((await reader.next('new_message', { message })).id ?? '');
    }
    await reader.close();
    const { body } = await mine.get('/api/messages?limit=1');
    for (const shown of [...ids, String(body.next_cursor)]) expect(shown).not.toMatch(/^(\w+-)?\d{1,15}$/);
  });

  test('text from a peer cannot control the terminal', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const hostile = '\u001b]0;owned\u0007\u001b[2Jrm -rf\u009b31m\u202e';
    await restClient(hub.url, networkToken).post('/api/tasks', {
      alias: 'bob',
      task: hostile,
      from_session: `alice${hostile}`,
    });
    for (const args of [['tasks'], ['inbox', '--alias', 'bob']]) {
      const command = launch({ target, args, env: { AGENTHUB_URL: hub.url, AGENTHUB_TOKEN: networkToken } });
      await command.ended;
      expect(command.stdout()).toContain('rm -rf');
      expect(command.stdout()).not.toMatch(/[\u001b\u0007\u009b\u202e]/);
    }
  });

  test('the metrics of a local hub are not readable under another host name', async () => {
    const { hub } = await hubOfAda({ target });
    const named = await sendRaw(hub.url, { method: 'GET', path: '/metrics', headers: { Host: 'elsewhere.test' } });
    expect([403, 421]).toContain(named.status);
    expect(await (await fetch(`${hub.url}/metrics`)).text()).toContain('agenthub_info');
  });
});

const JSON_BODY = { 'Content-Type': 'application/json' };

function credentials(username: string): string {
  return JSON.stringify({ username, password: PASSWORD });
}

async function registering({ url }: RunningHub) {
  const port = new URL(url).port;
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/register`, {
    method: 'POST',
    headers: JSON_BODY,
    body: credentials('mallory'),
  });
  return { status: response.status, body: objectIn(await response.text()) };
}
