// An attack by unauthenticated clients: connections reset during token lookup, and bodies that never end. Afterwards
// the hub serves everyone, and its memory has not grown.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_BODY_BYTES, MAX_STREAMS_PER_TOKEN, MAX_WAITS_PER_TOKEN } from '../../../server/domain/limits.ts';
import { type RequestOf, STREAM, sendAndReset, WAIT } from '../../support/http/resets.ts';
import { register } from '../../support/http/rest-client.ts';
import { changeRightsInALoop } from '../../support/permission-changes.ts';
import { hubOfAda } from '../../support/process/registered-hub.ts';
import { storyOnce } from '../../support/process/running-hub.ts';

storyOnce('unauthenticated clients and connection resets', (target) => {
  test('500 resets use up no connection of a token, while its caller is looked up each time', async () => {
    const { hub, networkToken } = await hubOfAda({ target });
    const stop = changeRightsInALoop(hub.url, await register(hub.url, 'mallory'));
    for (const requestOf of [STREAM, WAIT]) {
      await Promise.all(Array.from({ length: 10 }, () => sendAndReset(hub.url, requestOf(networkToken), 50)));
    }
    await stop();
    await expect.poll(() => openNow(hub.url)).toEqual({ streams: 0, waits: 0 });
    expect(hub.output()).not.toContain('"level":"error"');
    const streams = await Promise.all(
      Array.from({ length: MAX_STREAMS_PER_TOKEN }, () => openedSoon(hub.url, STREAM, networkToken)),
    );
    const waits = await Promise.all(
      Array.from({ length: MAX_WAITS_PER_TOKEN }, () => openedSoon(hub.url, WAIT, networkToken)),
    );
    await expect.poll(() => openNow(hub.url)).toEqual({ streams: MAX_STREAMS_PER_TOKEN, waits: MAX_WAITS_PER_TOKEN });
    for (const socket of [...streams, ...waits]) socket.resetAndDestroy();
    await expect.poll(() => openNow(hub.url)).toEqual({ streams: 0, waits: 0 });
    expect(await hub.stop()).toBe(0);
  });

  const canMeasure = existsSync('/proc/self/status');

  test.skipIf(!canMeasure)('unauthenticated bodies are not buffered, whatever length they declare', async () => {
    const { hub } = await hubOfAda({ target });
    const before = memoryOf(hub.pid);
    const sockets = await Promise.all(Array.from({ length: 300 }, () => unfinishedBody(hub.url)));
    const responses = await Promise.all(sockets.map((socket) => firstLine(socket)));
    expect(new Set(responses)).toEqual(new Set(['HTTP/1.1 401 Unauthorized']));
    expect((memoryOf(hub.pid) - before) / MAX_BODY_BYTES).toBeLessThan(150);
    expect((await fetch(`${hub.url}/health`)).status).toBe(200);
    sockets.forEach((socket) => socket.destroy());
    expect(await hub.stop()).toBe(0);
  });
});

async function openNow(url: string): Promise<{ streams: number; waits: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const gauge = (name: string) => Number(new RegExp(`^agenthub_${name}_open (\\d+)$`, 'm').exec(text)?.[1]);
  return { streams: gauge('event_streams'), waits: gauge('waits') };
}

async function connected(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function opened(url: string, requestOf: RequestOf, token: string): Promise<{ status: string; socket: Socket }> {
  const socket = await connected(url);
  socket.write(requestOf(token));
  return { status: (await firstLine(socket)).slice(9, 12), socket };
}

/** Of a burst, the newest connection is read first, so the hub may have read some of the resets only now. */
async function openedSoon(url: string, requestOf: RequestOf, token: string): Promise<Socket> {
  const sockets: Socket[] = [];
  const open = async (): Promise<string> => {
    const { status, socket } = await opened(url, requestOf, token);
    sockets.push(socket);
    return status;
  };
  await expect.poll(open).toBe('200');
  const socket = sockets.pop();
  if (socket === undefined) throw new Error('no connection was opened');
  return socket;
}

async function firstLine(socket: Socket): Promise<string> {
  const [bytes] = await once(socket, 'data');
  return String(bytes).split('\r\n')[0] ?? '';
}

/** Declares one mebibyte and sends all but the end. */
async function unfinishedBody(url: string): Promise<Socket> {
  const socket = await connected(url);
  socket.write(
    `POST /api/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${MAX_BODY_BYTES}\r\n\r\n`,
  );
  socket.write(Buffer.alloc(MAX_BODY_BYTES - 1, ' '));
  return socket;
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}
