// Clients that reset their connection during token lookup do not use up a connection, neither immediately nor later.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_STREAMS_PER_TOKEN, MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { STREAM, WAIT } from '../../support/http/resets.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';

/** The server side of every connection that sends a request from now on. */
function serverSockets(): Socket[] {
  const sockets: Socket[] = [];
  const note = (message: unknown): void => void sockets.push((message as { request: IncomingMessage }).request.socket);
  subscribe('http.server.request.start', note);
  onTestFinished(() => void unsubscribe('http.server.request.start', note));
  return sockets;
}

/** Blocks every database read until released. */
function holdReads({ hub }: ServedHub) {
  const gate = Promise.withResolvers<void>();
  const { read } = hub.store;
  let waiting = 0;
  hub.callerCache.find = () => undefined;
  hub.store.read = async (work) => {
    waiting++;
    await gate.promise;
    return read(work);
  };
  return { waiting: () => waiting, letGo: gate.resolve };
}

async function sendFrom(url: string, request: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  socket.write(request);
  return socket;
}

test.each([
  ['event streams', STREAM, MAX_STREAMS_PER_TOKEN, 'streams'],
  ['waits', WAIT, MAX_WAITS_PER_TOKEN, 'mcp'],
] as const)('%s: more resets than slots leave all slots free', async (_, requestOf, max, kind) => {
  const hub = await serveHub();
  const held = holdReads(hub);
  const sockets = serverSockets();
  const clients = await Promise.all(
    Array.from({ length: max + 5 }, () => sendFrom(hub.url, requestOf(hub.networkToken))),
  );
  await expect.poll(held.waiting).toBe(max + 5);
  for (const client of clients) client.resetAndDestroy();
  await expect.poll(() => sockets.every(({ destroyed }) => destroyed)).toBe(true);
  held.letGo();
  const open = await fetch(`${hub.url}/events/bob`, { headers: { Authorization: `Bearer ${hub.networkToken}` } });
  expect(open.status).toBe(200);
  await open.body?.cancel();
  await expect.poll(hub.app[kind].count).toBe(0);
  const last = await sendFrom(hub.url, requestOf(hub.networkToken));
  const [response] = await once(last, 'data');
  expect(String(response)).toMatch(/^HTTP\/1.1 200 /);
  last.destroy();
});

test('the slot of a wait whose client has left is free once its work has ended', async () => {
  const hub = await serveHub();
  const { read } = hub.hub.store;
  const gate = Promise.withResolvers<void>();
  let looks = 0;
  hub.hub.store.read = async (work) => {
    looks++;
    await gate.promise;
    return read(work);
  };
  const client = await sendFrom(hub.url, WAIT(hub.networkToken));
  await expect.poll(() => looks).toBeGreaterThan(0);
  gate.resolve();
  await expect.poll(hub.app.mcp.count).toBe(1);
  const second = Promise.withResolvers<void>();
  hub.hub.store.read = async (work) => {
    await second.promise;
    return read(work);
  };
  const other = await sendFrom(hub.url, WAIT(hub.networkToken));
  await expect.poll(hub.app.mcp.count).toBe(2);
  const sockets = serverSockets();
  for (const socket of [client, other]) socket.resetAndDestroy();
  await expect.poll(hub.app.mcp.count).toBe(1);
  expect(sockets).toEqual([]);
  second.resolve();
  await expect.poll(hub.app.mcp.count).toBe(0);
});
