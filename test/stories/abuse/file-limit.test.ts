// With a low file descriptor limit, the hub closes idle connections before it runs out. Its database, its sweeps and
// active connections keep working.
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { keepConnection } from '../../support/http/kept-connection.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

const FILES = 200;
const BY_CONDITION = { timeout: 20_000, interval: 20 };
const MADE_ROOM = 'idle connections were closed to make room';

storyOnce('a low file descriptor limit', (target) => {
  test('closes idle connections, logs that once, and keeps serving active ones', async () => {
    const { hub, networkToken } = await hubOfAda({ target, files: FILES });
    const { ask: kept, close } = keepConnection(hub.url, networkToken);
    onTestFinished(close);
    expect(await kept('GET', '/health')).toMatchObject({ status: 200 });
    const { port } = new URL(hub.url);
    const sockets = Array.from({ length: FILES + 50 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    await expect
      .poll(() => sockets.filter(({ destroyed, closed }) => destroyed || closed).length, BY_CONDITION)
      .toBeGreaterThan(FILES / 2);

    expect(await kept('POST', '/api/tasks', { alias: 'bob', task: 'write this down' })).toMatchObject({ status: 200 });
    const { body: metrics } = await kept('GET', '/metrics');
    const closed = (reason: string): number =>
      Number(new RegExp(`^agenthub_connections_closed_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
    expect(closed('idle') + closed('refused')).toBeGreaterThan(FILES / 2);
    expect(hub.output().split(MADE_ROOM)).toHaveLength(2);
    expect(hub.output()).not.toContain('"level":"error"');

    sockets.forEach((socket) => socket.destroy());
    await expect
      .poll(
        () =>
          fetch(`${hub.url}/health`, { headers: { connection: 'close' } }).then(
            ({ status }) => status,
            () => 0,
          ),
        BY_CONDITION,
      )
      .toBe(200);
    expect(await hub.stop()).toBe(0);
  });
});
