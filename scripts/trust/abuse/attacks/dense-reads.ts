// Attacks with dense reads. 64 KiB of a connection hold 10,000 chunks of one byte, or 1,000 pipelined requests. The 16
// KiB of a request head hold a query of 7,000 parameters. None of them needs a token.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { MIN_CHUNK_BYTES } from '../../../../server/domain/limits.ts';
import { type Attack, type AttackContext, type AttackRun, repeat } from '../attack.ts';
import { ask, dial, requestText } from '../wire.ts';

const READ_BYTES = 60_000;
const CLOSED_MS = 1_500;

/** Writes the bytes on this many connections at once, and again when the hub has closed them. */
function write({ hub }: AttackContext, connections: number, bytes: Buffer): AttackRun {
  return repeat(connections, () => {
    const socket = dial(hub);
    socket.write(bytes);
    return closed(socket);
  });
}

function closed(socket: Socket): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), CLOSED_MS);
  socket.resume();
  return new Promise((resolve) => {
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

export const smallChunks: Attack = {
  name: 'bodies in chunks of one byte',
  prepare: async (context) => {
    const head = requestText({ method: 'POST', path: '/nowhere', headers: { 'Transfer-Encoding': 'chunked' } });
    return write(context, 20, Buffer.concat([head, Buffer.from('1\r\n \r\n'.repeat(READ_BYTES / 6))]));
  },
};

const BURST = 500;

/**
 * The bytes arrive on all connections in one turn of the hub's event loop. The hub has served a request on each before,
 * because it begins to read only a few new connections per turn.
 */
function burst(name: string, bytesFor: (context: AttackContext) => Buffer): Attack {
  return {
    name,
    prepare: async (context) => {
      const bytes = bytesFor(context);
      return repeat(1, async () => {
        const sockets = Array.from({ length: BURST }, () => dial(context.hub));
        await Promise.all(sockets.map(served));
        for (const socket of sockets) socket.write(bytes);
        await Promise.all(sockets.map(closed));
      });
    },
  };
}

function served(socket: Socket): Promise<unknown> {
  socket.write(requestText({ path: '/health/live' }));
  return Promise.race([once(socket, 'data'), once(socket, 'close')]);
}

export const burstOfSmallChunks = burst('bodies in chunks of one byte on 500 connections at once', () =>
  Buffer.concat([
    requestText({ method: 'POST', path: '/api/auth/login', headers: { 'Transfer-Encoding': 'chunked' } }),
    Buffer.from('1\r\n \r\n'.repeat(READ_BYTES / 6)),
  ]),
);

export const burstOfRequests = burst('small requests on 500 connections at once', ({ mallory }) =>
  requestText({ path: '/api/me', token: mallory.userToken, headers: { Connection: 'close' } }),
);

export const sentAhead: Attack = {
  name: 'a thousand pipelined requests in one write',
  prepare: async (context) => {
    const request = requestText({ path: '/health/live' });
    return write(context, 8, Buffer.concat(Array(Math.floor(READ_BYTES / request.length)).fill(request)));
  },
};

/** Each is answered before the next one is read, or would be by Node itself, so that none of them ever waits. */
const ANSWERED_AT_ONCE: readonly [what: string, request: string][] = [
  ['with a body of one byte', 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx'],
  ['with an unknown expectation', 'GET / HTTP/1.1\r\nHost: localhost\r\nExpect: a\r\n\r\n'],
  ['without a host', 'GET / HTTP/1.1\r\n\r\n'],
];
const ANSWERED_LANES = 50;

export const answeredAtOnce: readonly Attack[] = ANSWERED_AT_ONCE.map(([what, request]) => ({
  name: `a thousand pipelined requests ${what}`,
  prepare: async (context) =>
    write(context, ANSWERED_LANES, Buffer.from(request.repeat(Math.floor(READ_BYTES / request.length)))),
}));

const LONG_BODY_BYTES = 280_000;
/** A read splits some of them. */
const LEAST_BYTES = Math.ceil(MIN_CHUNK_BYTES * 1.1);

/** The shortest chunks allowed in any number. */
export const leastChunks: Attack = {
  name: 'long bodies in the shortest chunks allowed',
  prepare: async (context) => {
    const head = requestText({
      method: 'POST',
      path: '/mcp',
      headers: { 'Transfer-Encoding': 'chunked', 'Content-Type': 'application/json', Connection: 'close' },
    });
    const chunk = `${LEAST_BYTES.toString(16)}\r\n${' '.repeat(LEAST_BYTES)}\r\n`;
    return write(
      context,
      20,
      Buffer.concat([head, Buffer.from(`${chunk.repeat(LONG_BODY_BYTES / LEAST_BYTES)}0\r\n\r\n`)]),
    );
  },
};

const HEADERS = Array.from({ length: 900 }, (_, number) => `x${number}: ${number}\r\n`).join('');

export const manyHeaders: Attack = {
  name: 'heads of nine hundred headers that never end',
  prepare: async (context) => write(context, 200, Buffer.from(`GET /health HTTP/1.1\r\nHost: localhost\r\n${HEADERS}`)),
};

const PARAMETERS = Array(7_000).fill('a').join('&');
const PATHS = ['/health/live', '/events/x', '/api/tasks', '/nowhere'];

export const repeatedParameters: Attack = {
  name: 'queries of seven thousand parameters',
  prepare: async ({ hub, mallory }) =>
    repeat(PATHS.length, (lane) => ask(hub, { path: `${PATHS[lane]}?${PARAMETERS}`, token: mallory.networkToken })),
};
