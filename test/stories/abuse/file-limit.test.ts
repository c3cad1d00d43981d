// With a low file descriptor limit, the hub closes idle connections before it runs out. Its database, its sweeps and
// active connections keep working.
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { keepConnection } from '../../support/http/kept-connection.ts';
import { hubOf, hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

const FILES = 200;
const BY_CONDITION = { interval: 20 };
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

  test('refuses event streams with 503 before descriptors run out', async () => {
    const names = ['ada', 'bob', 'cyd', 'dan'] as const;
    const [hub, ...accounts] = await hubOf(names, { target, files: FILES });
    const streams: Response[] = [];
    onTestFinished(() => streams.forEach((stream) => void stream.body?.cancel()));
    const refusals = new Set<string>();
    for (const { networkToken } of accounts) {
      for (let stream = 0; stream < FILES / 4; stream++) {
        const response = await fetch(`${hub.url}/events`, { headers: { Authorization: `Bearer ${networkToken}` } });
        if (response.ok) streams.push(response);
        else refusals.add(`${response.status} ${await response.text()}`);
        if (!response.ok) break;
      }
    }
    expect(streams.length).toBeGreaterThan(FILES / 4);
    expect([...refusals].filter((refusal) => refusal.startsWith('503'))).toEqual([
      expect.stringMatching(/"unavailable".*the hub has reached its limit of \d+ event streams/),
    ]);
    const { status } = await fetch(`${hub.url}/health/ready`);
    expect(status).toBe(200);
    expect(hub.output()).not.toContain('descriptors_low');
  });

  test.skipIf(process.platform !== 'linux')(
    'closes connections of strangers, from however many addresses, before those with a token',
    async () => {
      const { hub, networkToken } = await hubOfAda({ target, files: FILES });
      const agents = Array.from({ length: 20 }, () => keepConnection(hub.url, networkToken));
      onTestFinished(() => agents.forEach(({ close }) => close()));
      const askAll = () => Promise.all(agents.map(async ({ ask }) => (await ask('GET', '/api/status')).status));
      await askAll();
      const port = Number(new URL(hub.url).port);
      const strangers = Array.from({ length: 2 * FILES }, (_, number) => {
        const localAddress = `127.1.${number % 200}.1`; // all of 127.0.0.0/8 is this machine
        const socket = connect({ port, host: '127.0.0.1', localAddress })
          .on('error', () => {})
          .resume();
        socket.write('GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
        return socket;
      });
      onTestFinished(() => strangers.forEach((socket) => socket.destroy()));
      await expect.poll(() => strangers.filter(({ closed }) => closed).length, BY_CONDITION).toBeGreaterThan(FILES);
      expect(new Set(await askAll())).toEqual(new Set([200]));
      expect(hub.output()).not.toContain('"level":"error"');
    },
  );
});
