// Another program locks the database of a running hub for a while: writes wait or are refused, nothing is lost, and the
// hub continues.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { register, restClient } from '../support/http/rest-client.ts';
import { startHub, storyOnce } from '../support/process/running-hub.ts';

storyOnce('a database that another program locks', (target) => {
  test('writes wait for a short lock; a long one is told, and the hub recovers', async () => {
    const hub = await startHub({ target });
    const { networkToken } = await register(hub.url);
    const rest = restClient(hub.url, networkToken);
    const send = (task: string) => rest.post('/api/tasks', { alias: 'builder', task, from_session: 'boss' });
    const isReady = async () => (await fetch(`${hub.url}/health/ready`)).status;

    const short = lock(hub.data);
    const waiting = send('waits');
    expect((await rest.get('/api/tasks')).body).toMatchObject({ tasks: [] });
    short.close();
    expect((await waiting).status).toBe(200);

    const long = lock(hub.data);
    expect(await send('is refused')).toMatchObject({
      status: 503,
      body: { error: 'unavailable', message: 'another program has locked the database; try again in a few seconds' },
    });
    await vi.waitFor(async () => expect(await isReady()).toBe(503), { timeout: 20_000, interval: 200 });
    expect(hub.output()).toContain('writes_stalled');
    long.close();
    expect((await send('is stored')).status).toBe(200);
    await vi.waitFor(async () => expect(await isReady()).toBe(200), { timeout: 20_000, interval: 100 });
    const { tasks } = (await rest.get('/api/tasks')).body;
    expect(tasks).toMatchObject([{ content: 'is stored' }, { content: 'waits' }]);
    expect(await hub.stop()).toBe(0);
  });
});

function lock(data: string): DatabaseSync {
  const other = new DatabaseSync(join(data, 'agenthub.db'), { timeout: 5_000 });
  onTestFinished(() => (other.isOpen ? other.close() : undefined));
  other.exec('BEGIN IMMEDIATE');
  return other;
}
