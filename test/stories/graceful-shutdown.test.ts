// Graceful shutdown: the hub accepts no new connections, lets running requests finish, and closes the database
// properly.
import { existsSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openEvents } from '../support/http/event-reader.ts';
import { beginPost, type HalfSent } from '../support/http/half-sent.ts';
import { mcpClient } from '../support/http/mcp-client.ts';
import { restClient } from '../support/http/rest-client.ts';
import { textOf } from '../support/json.ts';
import type { Target } from '../support/process/hub-process.ts';
import { hubOfAda } from '../support/process/registered-hub.ts';
import { type RunningHub, startHub, story, storyOnce } from '../support/process/running-hub.ts';

const WAIT = { timeout: 2_500, interval: 10 };
/** The grace period for running requests is three seconds. */
const AT_ONCE_MS = 1_500;
const STREAMS = 1_000;

story('graceful shutdown', (target) => {
  test('SIGTERM: running requests finish and are stored, streams end, new connections are refused, exit code 0', async () => {
    const { hub, token } = await enter(target);
    const bobEvents = await openEvents(`${hub.url}/events/bob`, token);
    const watcher = await openEvents(`${hub.url}/events`, token);
    const begun = await beginSend(hub, token);

    hub.signal('SIGTERM');
    await Promise.all([bobEvents.ended, watcher.ended]);
    await expect.poll(() => isRefused(hub.url), WAIT).toBe(true);
    const response = await begun.finish();
    expect(response).toMatchObject({ status: 200, body: { ok: true } });
    expect(await hub.ended).toEqual({ code: 0, signal: null });
    expect(hub.output()).toContain(
      '"signal":"SIGTERM","msg":"agenthub is shutting down on SIGTERM; open requests have three seconds"',
    );
    expect(hub.output()).not.toContain('"level":"error"');
    expect(logIn(hub.data)).toBe(0);

    const next = await startHub({ target, data: hub.data });
    expect(
      await mcpClient(next.url, token).call('get_task', { task_id: textOf(response.body, 'task_id') }),
    ).toMatchObject({
      task: { content: 'the last one', status: 'delivered' },
    });
  });

  test('SIGINT does the same, and an idle hub exits at once', async () => {
    const { hub, token } = await enter(target);
    await openEvents(`${hub.url}/events/bob`, token);
    const started = performance.now();
    expect(await hub.kill('SIGINT')).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
  });
});

storyOnce('graceful shutdown at any time', (target) => {
  test('a hub that gets the signal as soon as it listens exits, every time', async () => {
    const first = await startHub({ target });
    for (let time = 1, hub = first; time <= 5; time++) {
      expect(await hub.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      hub = await startHub({ target, data: first.data });
    }
  });

  test('a thousand event streams are told when to come back, and end with the hub', async () => {
    const { hub, userToken, networkId } = await hubOfAda({ target });
    const rest = restClient(hub.url, userToken);
    const tokens = await Promise.all(
      Array.from({ length: STREAMS / 100 }, async (_, number) =>
        textOf((await rest.post('/api/tokens', { name: `token ${number}`, network_id: networkId })).body, 'token'),
      ),
    );
    const openStream = async (number: number): Promise<Response> =>
      fetch(`${hub.url}/events/agent-${number}`, {
        headers: { Authorization: `Bearer ${tokens[number % tokens.length]}` },
      });
    const streams = await Promise.all(Array.from({ length: STREAMS }, (_, number) => openStream(number)));
    expect(streams.filter(({ status }) => status !== 200)).toEqual([]);
    hub.signal('SIGTERM');
    const texts = await Promise.all(streams.map((response) => response.text()));
    const delays = texts.map((text) => [...text.matchAll(/^retry: (\d+)$/gm)].at(-1)?.[1]);
    expect(delays).not.toContain(undefined);
    expect(new Set(delays).size).toBeGreaterThan(10); // so that not all come back at once
    expect(await hub.ended).toEqual({ code: 0, signal: null });
  });

  test('clients with keep-alive connections that keep sending requests do not delay it', async () => {
    const hub = await startHub({ target });
    const clients = Array.from({ length: 8 }, () => requestUntilRefused(`${hub.url}/health`));
    await Promise.all(clients.map(({ firstResponse }) => firstResponse));
    const started = performance.now();
    expect(await hub.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);
    await Promise.all(clients.map(({ refused }) => refused));
  });

  test('unfinished requests are closed after three seconds, and a second signal closes them at once', async () => {
    const [graceful, forced] = await Promise.all([enter(target), enter(target)]);
    const endless = await Promise.all([beginSend(graceful.hub, graceful.token), beginSend(forced.hub, forced.token)]);
    const started = performance.now();
    graceful.hub.signal('SIGTERM');
    forced.hub.signal('SIGTERM');
    await expect.poll(() => isRefused(forced.hub.url), WAIT).toBe(true);
    expect(await forced.hub.kill('SIGTERM')).toEqual({ code: 2, signal: null });
    expect(performance.now() - started).toBeLessThan(AT_ONCE_MS);

    expect(await graceful.hub.ended).toEqual({ code: 0, signal: null });
    expect(performance.now() - started).toBeGreaterThan(2_900);
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(await Promise.all(endless.map(({ closed }) => closed))).toEqual([expect.any(Error), expect.any(Error)]);
  });
});

async function enter(target: Target): Promise<{ hub: RunningHub; token: string }> {
  const { hub, networkToken } = await hubOfAda({ target });
  return { hub, token: networkToken };
}

function beginSend(hub: RunningHub, token: string): Promise<HalfSent> {
  return beginPost(`${hub.url}/api/tasks`, token, { alias: 'bob', task: 'the last one' });
}

/** Whether a new connection is refused. */
function isRefused(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.destroy();
      resolve(false);
    });
    socket.on('error', () => resolve(true));
  });
}

/** Sends requests over one kept connection, each as soon as the previous response arrives. */
function requestUntilRefused(url: string): { firstResponse: Promise<void>; refused: Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const firstResponse = Promise.withResolvers<void>();
  const refused = Promise.withResolvers<void>();
  const ask = (): void => {
    const request = get(url, { agent }, (response) =>
      response.resume().on('end', () => {
        firstResponse.resolve();
        setImmediate(ask);
      }),
    );
    request.on('error', () => refused.resolve());
  };
  ask();
  return { firstResponse: firstResponse.promise, refused: refused.promise };
}

/** Bytes that were not moved from the write-ahead log into the database. */
function logIn(data: string): number {
  const log = join(data, 'agenthub.db-wal');
  return existsSync(log) ? statSync(log).size : 0;
}
