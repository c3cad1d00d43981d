// A hub in trouble says so: /health/ready returns 503 with the reason, the log has one line for each kind of trouble,
// and the metrics name it. It recovers without a restart.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { mcpClient } from '../support/http/mcp-client.ts';
import { type RestReply, register, restClient } from '../support/http/rest-client.ts';
import { isJailed } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { type RunningHub, runToItsEnd, startHub, storyOnce } from '../support/process/running-hub.ts';
import { canMount, isLinuxRoot, smallDisk } from '../support/process/small-disk.ts';

const SOON = { interval: 50 };

type Line = Readonly<Record<string, unknown>>;

const linesOf = (hub: RunningHub): Line[] =>
  hub
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

const readiness = ({ url }: RunningHub): Promise<RestReply> => restClient(url).get('/health/ready');

async function untilReady(hub: RunningHub): Promise<void> {
  await expect.poll(async () => (await readiness(hub)).status, SOON).toBe(200);
}

async function untilUnready(hub: RunningHub, code: string): Promise<void> {
  const answer = await vi.waitFor(
    async () => {
      const found = await readiness(hub);
      expect(found.status).toBe(503);
      return found;
    },
    { timeout: 60_000, ...SOON },
  );
  expect(answer.body).toEqual({ error: code, message: expect.stringMatching(/\w/) });
  expect(answer.headers.get('retry-after')).toBe('5');
  expect((await restClient(hub.url).get('/health/live')).status).toBe(200);
}

async function metric({ url }: RunningHub, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length),
  );
}

const trouble = (hub: RunningHub, kind: string): Promise<number> => metric(hub, `agenthub_trouble{kind="${kind}"}`);

/** One line when it begins and one when it ends. */
async function expectLogged(hub: RunningHub, kind: string, level: string): Promise<void> {
  const lines = () => linesOf(hub).filter((line) => line['trouble'] === kind);
  await expect.poll(() => lines().length, SOON).toBeGreaterThan(1);
  expect(lines()).toEqual([
    expect.objectContaining({ level }),
    expect.objectContaining({ level: 'info', msg: 'trouble ended', seconds: expect.any(Number) }),
  ]);
}

const prlimit = (hub: RunningHub, limit: string): void => {
  expect(spawnSync('prlimit', ['--pid', String(hub.pid), limit]).status).toBe(0);
};

storyOnce('a hub that runs out of disk space', (target) => {
  test.skipIf(!canMount)('is not ready while its disk is full, and recovers', async () => {
    const { data, ...disk } = smallDisk();
    const hub = await startHub({ target, data });
    const { networkToken } = await register(hub.url);
    const ada = restClient(hub.url, networkToken);
    const send = () => ada.post('/api/tasks', { alias: 'bob', task: 'write this down' });
    await untilReady(hub);
    expect(await metric(hub, 'agenthub_disk_bytes')).toBe(32 * 1024 ** 2);

    disk.fill();
    await untilUnready(hub, 'storage_full'); // although nobody has written anything
    await expect.poll(async () => (await send()).body['error'], SOON).toBe('storage_full');
    expect((await ada.get('/api/tasks')).status).toBe(200);
    expect(await trouble(hub, 'storage_full')).toBe(1);
    const refused = linesOf(hub).filter((line) => line['route'] === '/api/tasks' && line['status'] === 503);
    expect(refused.length).toBeGreaterThan(0);
    for (const line of refused) expect(line).toMatchObject({ error: 'storage_full', level: 'warn' });
    await expectFailedSend(hub, networkToken);

    disk.free();
    await untilReady(hub);
    expect((await send()).status).toBe(200);
    expect(await trouble(hub, 'storage_full')).toBe(0);
    await expectLogged(hub, 'storage_full', 'error');
    expect(linesOf(hub).filter((line) => line['msg'] === 'sweep failed')).toEqual([]);

    disk.fill();
    const exported = await runToItsEnd({ target, args: ['export', '--data', data, '-'] });
    expect(exported).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the audit log of the hub has no entry'),
    });
    disk.free();
    expect(await hub.stop()).toBe(0);
    disk.fill();
    expect(await runToItsEnd({ target, args: ['prune', '--yes', '--data', data] })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^agenthub: the disk (?:of the hub )?is full[^\n]*\n$/),
    });
  });

  test.skipIf(!isLinuxRoot)(
    'stops with exit code 0 while its disk is full, and keeps what was acknowledged',
    async () => {
      const { data, ...disk } = smallDisk();
      const hub = await startHub({ target, data });
      const { networkToken } = await register(hub.url);
      const ada = restClient(hub.url, networkToken);
      for (let count = 0; count < 100; count++) {
        const sent = await ada.post('/api/tasks', { alias: `bob ${count}`, task: `${count} ${'x'.repeat(9_000)}` });
        expect(sent.status).toBe(200);
      }
      disk.fill();
      await untilUnready(hub, 'storage_full');
      expect(await hub.stop()).toBe(0);
      expect(linesOf(hub).filter((line) => String(line['msg']).includes('stays in agenthub.db-wal'))).toHaveLength(1);
      expect(hub.output()).not.toContain('the database failed');

      disk.free();
      const next = await startHub({ target, data });
      const { body } = await restClient(next.url, networkToken).get('/api/tasks?with_total=true&limit=1');
      expect(body).toMatchObject({ total: 100 });
    },
  );

  test.skipIf(process.platform !== 'linux' || isJailed)(
    'is not ready after a write failed for a limit that the disk does not show',
    async () => {
      const { hub, networkToken } = await hubOfAda({ target });
      const send = () =>
        restClient(hub.url, networkToken).post('/api/tasks', { alias: 'bob', task: 'x'.repeat(9_000) });
      await send();
      prlimit(hub, `--fsize=${statSync(join(hub.data, 'agenthub.db-wal')).size}:`);
      await expect.poll(async () => (await send()).body['error'], SOON).toBe('storage_full');
      await untilUnready(hub, 'storage_full');
      prlimit(hub, '--fsize=unlimited:');
      await untilReady(hub);
      expect((await send()).status).toBe(200);
      await expectLogged(hub, 'storage_full', 'error');
    },
  );
});

/** Over MCP, where it has status 200. */
async function expectFailedSend(hub: RunningHub, networkToken: string): Promise<void> {
  const failed = 'agenthub_sends_failed_total{code="storage_full"}';
  const before = await metric(hub, failed);
  const agent = mcpClient(hub.url, networkToken);
  await expect(agent.call('send_task', { alias: 'bob', task: 'this too' })).rejects.toThrow(/^storage_full: /);
  expect(await metric(hub, failed)).toBe(before + 1);
  const lines = () => linesOf(hub).filter((line) => line['route'] === '/mcp' && line['msg'] === 'request');
  await expect.poll(lines, SOON).toMatchObject([{ level: 'warn', status: 200, error: 'storage_full' }]);
}

storyOnce('a hub that runs out of file descriptors', (target) => {
  test.skipIf(process.platform !== 'linux' || isJailed)('is not ready before none are left, and recovers', async () => {
    const { hub } = await hubOfAda({ target });
    await untilReady(hub);
    const { size: open } = statSync(`/proc/${hub.pid}/fd`);
    prlimit(hub, `--nofile=${open + 8}:`);
    await untilUnready(hub, 'descriptors_low');
    expect(await trouble(hub, 'descriptors_low')).toBe(1);
    prlimit(hub, `--nofile=${open + 500}:`);
    await untilReady(hub);
    await expectLogged(hub, 'descriptors_low', 'error');
  });

  test.skipIf(process.platform !== 'linux')('starts with its soft limit raised to the hard one', async () => {
    const { hub } = await hubOfAda({ target, files: 3_000, softFiles: 300 });
    expect(readFileSync(`/proc/${hub.pid}/limits`, 'utf8')).toMatch(/^Max open files +3000 +3000 /m);
    expect(await metric(hub, 'process_max_fds')).toBe(3_000);
  });
});

storyOnce('a hub whose event loop stalls', (target) => {
  test('counts the stall and logs it once', async () => {
    const { hub } = await hubOfAda({ target });
    await untilReady(hub);
    for (let time = 1; time <= 2; time++) {
      hub.signal('SIGSTOP');
      spawnSync('sleep', ['1.2']); // the stall itself
      hub.signal('SIGCONT');
      await expect.poll(() => metric(hub, 'agenthub_event_loop_stalls_total'), SOON).toBe(time);
    }
    expect(await metric(hub, 'agenthub_event_loop_stalled_seconds_total')).toBeGreaterThan(1);
    expect(linesOf(hub).filter((line) => line['trouble'] === 'event_loop_stalled')).toEqual([
      expect.objectContaining({ level: 'warn', stall_ms: expect.any(Number) }),
    ]);
    expect((await readiness(hub)).status).toBe(200);
  });
});

storyOnce('a hub with --drain-seconds', (target) => {
  test('still accepts connections after SIGTERM, but is not ready', async () => {
    const { hub, networkToken } = await hubOfAda({ target, args: ['--drain-seconds', '2'] });
    await untilReady(hub);
    const started = performance.now();
    hub.signal('SIGTERM');
    await untilUnready(hub, 'stopping');
    const { status } = await restClient(hub.url, networkToken).post('/api/tasks', { alias: 'bob', task: 'in time' });
    expect(status).toBe(200);
    expect(await hub.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeGreaterThan(1_900);
    expect(hub.output()).toContain('agenthub got SIGTERM and serves requests for another 2 s');
  });
});
