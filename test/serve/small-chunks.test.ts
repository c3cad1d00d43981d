// A body of very small chunks is rejected early, because the parser calls back for each one before any other code of
// the hub runs.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FREE_CHUNKS, FREE_EXTENSION_BYTES, MAX_BODY_BYTES, MIN_CHUNK_BYTES } from '../../server/domain/limits.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { parseStartFirst, silenceParser, watchReads } from '../../server/serve/listener/parser-calls.ts';
import { serveHub } from '../support/served-hub.ts';

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n';
const END = `${PING.length.toString(16)}\r\n${PING}\r\n0\r\n\r\n`;

const chunks = (count: number, length = 1): string =>
  `${length.toString(16)}\r\n${' '.repeat(length)}\r\n`.repeat(count);

async function dial() {
  const hub = await serveHub();
  const listener = await openListener('127.0.0.1', 0);
  let pieces = 0;
  const app = hub.app.koa.callback();
  listener.answer((request, response) => {
    const push = request.push.bind(request); // what the parser emits
    request.push = (chunk: Buffer | null) => {
      if (chunk !== null) pieces += 1;
      return push(chunk);
    };
    void app(request, response);
  });
  onTestFinished(() => void listener.stop());
  const heads = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${hub.networkToken}\r\nContent-Type: application/json\r\n`;
  const open = async () => {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    await once(socket, 'connect');
    const statuses = (): number[] => [...received.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => Number(status));
    return { socket, statuses, events: () => received };
  };
  return { open, heads, pieces: () => pieces };
}

test.each([
  ['/mcp', true],
  ['/nowhere', false],
])('a body for %s: its connection ends with one response, and only few chunks were emitted', async (path, isRead) => {
  const { open, heads, pieces } = await dial();
  const { socket, statuses, events: seen } = await open();
  socket.write(heads(path) + CHUNKED + chunks(MAX_BODY_BYTES / 6));
  await once(socket, 'close');
  expect(statuses()).toEqual([isRead ? 400 : 404]); // an unread body may get its response first
  if (isRead) expect(seen()).toContain('"message":"body chunks must have at least 1024 bytes on average"');
  expect(pieces()).toBeLessThanOrEqual(FREE_CHUNKS);
});

const extended = (count: number, length: number): string =>
  `${length.toString(16)};${'x'.repeat(8_000)}\r\n${' '.repeat(length)}\r\n`.repeat(count);

test.each([
  ['/mcp', true],
  ['/nowhere', false],
])('a body for %s with long extensions: its connection ends before most of them have arrived', async (path, isRead) => {
  const { open, heads } = await dial();
  const { socket, statuses, events: seen } = await open();
  socket.write(heads(path) + CHUNKED + extended(8, MIN_CHUNK_BYTES)); // below what is free
  socket.write(extended(100, MIN_CHUNK_BYTES));
  await once(socket, 'close');
  expect(statuses()).toEqual([isRead ? 400 : 404]);
  if (isRead) expect(seen()).toContain('"message":"the extensions of body chunks must not be longer than the body"');
});

test('extensions of chunks are accepted below what is free, and beyond it as long as the body is longer', async () => {
  const { open, heads } = await dial();
  const { socket, statuses } = await open();
  socket.write(heads('/mcp') + CHUNKED + extended(FREE_EXTENSION_BYTES / 2 / 8_000, MIN_CHUNK_BYTES) + END);
  await expect.poll(statuses).toEqual([200]);
  socket.write(heads('/mcp') + CHUNKED + extended(50, 9_000) + END);
  await expect.poll(statuses).toEqual([200, 200]);
});

test('a few small chunks are accepted, and many long ones, and the count restarts with the next request of the connection and of its parser', async () => {
  const { open, heads } = await dial();
  const { socket, statuses } = await open();
  let responses = 0;
  const isAnswered = async (): Promise<void> => expect.poll(statuses).toEqual(Array(++responses).fill(200));
  for (const body of [
    chunks(FREE_CHUNKS - 1),
    chunks(FREE_CHUNKS - 1),
    chunks(FREE_CHUNKS + 100, 2 * MIN_CHUNK_BYTES),
    chunks(FREE_CHUNKS - 1),
  ]) {
    socket.write(heads('/mcp') + CHUNKED + body + END);
    await isAnswered();
    socket.write(`${heads('/mcp')}Content-Length: ${PING.length}\r\n\r\n${PING}`);
    await isAnswered();
  }
  const refused = await open();
  refused.socket.write(heads('/mcp') + CHUNKED + chunks(FREE_CHUNKS + 1));
  await once(refused.socket, 'close');
  const next = await open(); // reuses the paused parser
  next.socket.write(`${heads('/mcp')}Content-Length: ${PING.length}\r\n\r\n${PING}`);
  await expect.poll(next.statuses).toEqual([200]);
});

test.each([
  ['watched', watchReads],
  ['parsed in two parts', parseStartFirst],
])('long reads are noted on a connection that is %s, whatever is in them', async (_, watch) => {
  let noted = 0;
  const server = createServer((request, response) => text(request).then(() => response.end()));
  server.on('connection', (socket: Socket) => watch(socket, () => (noted += 1)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  expect(noted).toBe(0);
  socket.write('\r\n'.repeat(500_000));
  await expect.poll(() => noted).toBeGreaterThanOrEqual(10);
});

describe('a connection whose reads are parsed in two parts', () => {
  /** Responds with the length of each body, and counts the bytes that the parser gets. */
  async function connected(isRefused = false) {
    let parsed = 0;
    const server = createServer((request, response) => {
      if (isRefused) silenceParser(request.socket);
      text(request).then(
        (body) => response.end(`${body.length} bytes`),
        () => {}, // aborted
      );
    });
    server.on('connection', (socket: Socket & { parser: { execute(bytes: Buffer): unknown } }) => {
      const { parser } = socket;
      const { execute } = parser;
      parser.execute = (bytes) => {
        parsed += bytes.length;
        return execute.call(parser, bytes);
      };
      parseStartFirst(socket, () => {});
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => {
      socket.destroy();
      server.close();
    });
    let received = '';
    socket.setEncoding('utf8').on('data', (part: string) => (received += part));
    const lengths = () => [...received.matchAll(/^(\d+) bytes/gm)].map(([, length]) => Number(length));
    return { socket, lengths, parsed: () => parsed };
  }
  const post = (body: string) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test('gets each request, however the reads are cut', async () => {
    const { socket, lengths, parsed } = await connected();
    const sizes = [0, 1, 4096, 100_000, 10];
    const requests = [...sizes.map((size) => post('x'.repeat(size))), `POST / HTTP/1.1\r\nHost: a\r\n${CHUNKED}`];
    const sent = [...requests, chunks(50, 300), '0\r\n\r\n'].join('');
    socket.end(sent);
    await expect.poll(lengths).toEqual([...sizes, 15_000]);
    expect(parsed()).toBe(sent.length);
  });

  test('is parsed no further once it is refused', async () => {
    const { socket, parsed } = await connected(true);
    socket.write(post('x'.repeat(60_000)));
    await expect.poll(parsed).toBeGreaterThan(0);
    expect(parsed()).toBeLessThan(5_000);
  });

  test('ends with an error for what is not HTTP', async () => {
    const { socket, lengths } = await connected();
    socket.write(`${post('x')}nonsense${'x'.repeat(10_000)}`);
    await new Promise((resolve) => socket.once('end', resolve).once('error', resolve));
    expect(lengths()).toEqual([]);
  });
});
