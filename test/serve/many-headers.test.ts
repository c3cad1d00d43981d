// The number of headers of a request is limited: each takes memory beyond its text for as long as the request lasts.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_HEADERS } from '../../server/domain/limits.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { serveHub } from '../support/served-hub.ts';

async function dial(): Promise<Socket> {
  const hub = await serveHub();
  const listener = await openListener('127.0.0.1', 0);
  listener.answer(hub.app.koa.callback());
  onTestFinished(() => void listener.stop());
  const socket = connect(listener.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** With `Host` and `Connection` among them. */
function head(headers: number, line = 'GET /health/live HTTP/1.1'): string {
  const others = Array.from({ length: headers - 2 }, (_, number) => `x-${number}: ${number}\r\n`);
  return `${line}\r\nHost: localhost\r\nConnection: close\r\n${others.join('')}\r\n`;
}

const REFUSAL = `{"error":"invalid_request","message":"the URL and headers must have at most 16 KiB in total, and at most ${MAX_HEADERS} headers"}`;

test.each([
  [3, /^HTTP\/1.1 200 OK\r\n/],
  [MAX_HEADERS, /^HTTP\/1.1 200 OK\r\n/],
  [MAX_HEADERS + 1, /^HTTP\/1.1 431 Request Header Fields Too Large\r\n/],
  [900, /^HTTP\/1.1 431 Request Header Fields Too Large\r\n/],
])('a request with %i headers', async (headers, expected) => {
  const socket = await dial();
  socket.write(head(headers));
  const response = await text(socket);
  expect(response).toMatch(expected);
  if (headers > MAX_HEADERS) expect(response.endsWith(REFUSAL)).toBe(true);
});

test('a body after too many headers is not read', async () => {
  const socket = await dial();
  socket.write(
    `${head(MAX_HEADERS + 1, 'POST /api/auth/login HTTP/1.1').replace('Host:', 'Content-Length: 1000\r\nHost:')}{`,
  );
  expect(await text(socket)).toContain(REFUSAL);
});

test('endless headers are rejected as soon as there are too many', async () => {
  const socket = await dial();
  socket.write(head(MAX_HEADERS + 10).slice(0, -2));
  expect(await text(socket)).toContain(REFUSAL);
});
