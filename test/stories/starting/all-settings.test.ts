// A hub with every setting in its agenthub.json: each one takes effect.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openEvents } from '../../support/http/event-reader.ts';
import { mcpClient } from '../../support/http/mcp-client.ts';
import { PASSWORD, restClient } from '../../support/http/rest-client.ts';
import { listOf, textOf } from '../../support/json.ts';
import { launch, type Target } from '../../support/process/hub-process.ts';
import { setupTokenOf, storyOnce, temporaryDirectory } from '../../support/process/running-hub.ts';

const FILE = {
  host: '127.0.0.2',
  port: 0,
  allowed_hosts: ['hub.lan'],
  allowed_origins: ['https://pages.example'],
  trust_proxy: 1,
  registration: 'closed',
  trial_days: 0.00000001,
  offline_after_seconds: 1,
  heartbeat_seconds: 1,
  sweep_seconds: 1,
  metrics: 'off',
  log_level: 'debug',
  log_format: 'text',
};

storyOnce('everything in agenthub.json', (target) => {
  test('applies its settings', async () => {
    const { url, output } = await startOn(target, FILE);
    expect(output()).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] INFO: agenthub listens on /m);
    const setupToken = await setupTokenOf({ output });
    const ada = await (
      await fetch(`${url}/api/auth/register`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'X-Forwarded-For': '192.0.2.1, 198.51.100.7',
          Authorization: `Bearer ${setupToken}`,
        },
        body: JSON.stringify({ username: 'ada', password: PASSWORD }),
      })
    ).json();
    const [userToken, networkToken] = [textOf(ada, 'token'), textOf(ada, 'network_token')];
    const { body: audit } = await restClient(url, userToken).get('/api/audit-log');
    expect(listOf(audit, 'entries')).toMatchObject([{ action: 'user.register', ip: '198.51.100.7' }]);
    await expect.poll(output).toMatch(/^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\] DEBUG: /m);

    expect(await restClient(url).post('/api/auth/register', { username: 'bob', password: PASSWORD })).toMatchObject({
      status: 403,
      body: { error: 'registration_closed' },
    });
    expect((await restClient(url, networkToken).get('/metrics')).status).toBe(404);
    const from = async (origin: string) => (await fetch(`${url}/health`, { headers: { Origin: origin } })).status;
    expect([
      await from('https://pages.example'),
      await from('http://hub.lan:8080'),
      await from('https://elsewhere.example'),
    ]).toEqual([200, 200, 403]);

    const agent = mcpClient(url, networkToken);
    await expect(agent.call('send_task', { alias: 'bob', task: 'build it' })).rejects.toMatchObject({
      error: 'license_expired',
    });
    const stream = await openEvents(`${url}/events/eve`, networkToken);
    await agent.call('report_status', { resume_id: 'r-1', alias: 'bob', status: 'idle' });
    for (let beat = 0; beat < 2; beat++) await stream.next('heartbeat');
    await expect
      .poll(async () => (await restClient(url, networkToken).get('/api/status?status=offline')).body.sessions, {
        timeout: 10_000,
      })
      .toMatchObject([{ alias: 'bob' }]);
    await stream.close();
  });
});

async function startOn(target: Target, file: object): Promise<{ url: string; output: () => string }> {
  const data = temporaryDirectory();
  writeFileSync(join(data, 'agenthub.json'), JSON.stringify(file));
  const hub = launch({ target, args: ['--data', data] });
  onTestFinished(async () => {
    hub.child.kill('SIGKILL');
    await hub.ended;
  });
  await expect.poll(hub.output).toContain(`listens on http://${FILE.host}:`);
  return { url: /listens on (\S+)/.exec(hub.output())?.[1] ?? '', output: hub.output };
}
