// Pipelined requests: each starts after the response to the previous one, so that a connection uses one slot. A client
// that pipelines too much is disconnected.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  MAX_UNANSWERED_REQUESTS,
  MAX_WAITING_BODIES,
  MAX_WAITING_HEADS,
  SENT_AHEAD_PER_TURN,
} from '../../server/domain/limits.ts';
import { answerInOrder } from '../../server/serve/listener/answer-in-order.ts';
import type { Closed } from '../../server/serve/listener/eviction.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { STREAM, WAIT } from '../support/http/resets.ts';
import { serveHub } from '../support/served-hub.ts';

async function serve() {
  const hub = await serveHub();
  const listener = await openListener('127.0.0.1', 0);
  const closed: (Closed | Error)[] = [];
  listener.watch((why) => closed.push(why));
  listener.answer(hub.app.koa.callback());
  onTestFinished(() => void listener.stop());
  const dial = async (...requests: readonly string[]) => {
    const socket = connect(listener.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const received: string[] = [];
    socket
      .setEncoding('utf8')
      .on('data', (text: string) => received.push(text))
      .on('error', () => {});
    await once(socket, 'connect');
    socket.write(requests.join(''));
    return { socket, received: () => received.join('') };
  };
  return { ...hub, closed, dial };
}

const HEALTH = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n';
const LAST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

test.each([
  ['streams', STREAM],
  ['mcp', WAIT],
] as const)('one connection holds one of the %s', async (kind, requestOf) => {
  const { app, networkToken, dial, closed } = await serve();
  const clients = await Promise.all(
    Array.from({ length: 3 }, () => dial(requestOf(networkToken).repeat(MAX_UNANSWERED_REQUESTS))),
  );
  await expect.poll(app[kind].count).toBe(3);
  await responsesTo(await dial(LAST)); // everything before it has been processed
  expect([app[kind].count(), closed]).toEqual([3, []]);
  for (const { socket } of clients) socket.destroy();
  await expect.poll(app[kind].count).toBe(0);
});

test('a connection with too many pipelined requests is closed, and its resources are released', async () => {
  const { app, networkToken, dial, closed } = await serve();
  const { socket } = await dial(STREAM(networkToken).repeat(MAX_UNANSWERED_REQUESTS + 1));
  await isClosed(socket);
  expect(closed).toEqual(['pipelined']);
  await expect.poll(app.streams.count).toBe(0);
});

// Each of these is answered before the next is read, or was answered by Node itself.
test.each([
  ['with a body of one byte', 'POST /nowhere HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx'],
  ['that expect what no server knows', 'GET /nowhere HTTP/1.1\r\nHost: localhost\r\nExpect: a\r\n\r\n'],
])('a thousand requests in one read, %s, are not all handled', async (_, request) => {
  const { dial, closed } = await serve();
  const { socket, received } = await dial(request.repeat(1_000));
  await isClosed(socket);
  expect(received().split('HTTP/1.1 404').length - 1).toBeLessThanOrEqual(1 + SENT_AHEAD_PER_TURN);
  expect(closed).toEqual(['pipelined']);
});

describe('pipelined requests with bodies', () => {
  /** Requests wait until they are released, and then respond without reading their bodies. */
  async function held() {
    const [held, sockets]: [ServerResponse[], Socket[]] = [[], []];
    let closed = 0;
    const { listener } = answerInOrder((_, response) => void held.push(response), { onClosed: () => (closed += 1) });
    const server = createServer(listener).on('connection', (socket: Socket) => void sockets.push(socket));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const dial = async (requests: string) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
      onTestFinished(() => void socket.destroy());
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      socket.write(requests);
      return { socket, responses: () => received.split('HTTP/1.1 200').length - 1 };
    };
    const bytesRead = () => sockets.reduce((sum, { bytesRead: bytes }) => sum + bytes, 0);
    return { dial, held, closed: () => closed, bytesRead };
  }
  const post = (bytes: number) => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes}\r\n\r\n${' '.repeat(bytes)}`;

  test('are all answered, and read when it is their turn', async () => {
    const { dial, held: responses, bytesRead } = await held();
    const { responses: answered } = await dial(post(60_000).repeat(MAX_UNANSWERED_REQUESTS));
    await expect.poll(() => responses.length).toBe(1);
    expect(bytesRead()).toBeLessThan(300_000);
    for (let n = 0; n < MAX_UNANSWERED_REQUESTS; n += 1) {
      await expect.poll(() => responses.length).toBe(1);
      responses.pop()?.end();
      await expect.poll(answered).toBe(n + 1);
    }
  });

  test('close their connections when those of all wait with too much, and take none of it along', async () => {
    const { dial, closed } = await held();
    const most = MAX_WAITING_BODIES / 15_000;
    const clients: Socket[] = [];
    for (let n = 0; n < most + 20; n += 1) clients.push((await dial(HEALTH + post(15_000))).socket);
    await expect.poll(closed).toBeGreaterThanOrEqual(19);
    expect(closed()).toBeLessThan(40);
    for (const client of clients) client.destroy();
    const before = closed();
    await Promise.all(clients.map((client) => isClosed(client)));
    const { responses } = await dial(HEALTH + post(15_000) + LAST);
    expect([responses(), closed()]).toEqual([0, before]);
  });
});

const EXPECTING = (path: string, token: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`;

test.each([
  ['of an unknown path', '/nowhere', 404],
  ['without a valid token', '/api/tasks', 401],
])('a client that waits to be asked for its body is not asked %s, and the connection ends', async (_, path, status) => {
  const { dial } = await serve();
  const { socket, received } = await dial(EXPECTING(path, 'ntok_wrong').repeat(1_000));
  await isClosed(socket);
  expect(received()).toContain(`HTTP/1.1 ${status}`);
  expect(received().split('HTTP/1.1 ')).toHaveLength(2);
});

test('a client that waits to be asked for its body is asked once its token is known', async () => {
  const { dial, networkToken } = await serve();
  const { socket, received } = await dial(EXPECTING('/api/tasks', networkToken));
  await expect.poll(received).toContain('HTTP/1.1 100 Continue');
  socket.write('{}');
  await expect.poll(received).toContain('HTTP/1.1 400');
});

test('an unknown expectation is ignored', async () => {
  const { dial } = await serve();
  const { received } = await dial('GET /health HTTP/1.1\r\nHost: localhost\r\nExpect: a\r\nConnection: close\r\n\r\n');
  await expect.poll(received).toContain('HTTP/1.1 200');
});

test('requests without Host, and with several, are refused once, with the reason', async () => {
  const { dial } = await serve();
  const { socket, received } = await dial('GET / HTTP/1.1\r\n\r\n'.repeat(1_000));
  await isClosed(socket);
  expect(received().split('HTTP/1.1 400')).toHaveLength(2);
  expect(received()).toContain('the request has no Host header, which HTTP/1.1 requires');
  const several = await dial('GET /health HTTP/1.1\r\nHost: localhost\r\nHOST: evil.example\r\n\r\n');
  await expect.poll(several.received).toContain('the request has several Host headers');
  expect(several.received()).toContain('HTTP/1.1 400');
  const old = await dial('GET /health HTTP/1.0\r\n\r\n');
  await expect.poll(old.received).toContain('HTTP/1.1 ');
});

test.each([
  ['long', `X-Long: ${'a'.repeat(MAX_WAITING_HEADS / 2)}`],
  ['many', Array.from({ length: 80 }, (_, number) => `h${number}: 1`).join('\r\n')],
])(
  'a connection whose queued requests have too many headers is closed, and its resources are released: %s',
  async (_, headers) => {
    const { app, networkToken, dial, closed } = await serve();
    const long = `GET /health HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`;
    const { socket } = await dial(STREAM(networkToken), long);
    await expect.poll(app.streams.count).toBe(1);
    await responsesTo(await dial(LAST));
    expect(closed).toEqual([]);
    socket.write(long);
    await isClosed(socket);
    expect(closed).toEqual(['pipelined']);
    await expect.poll(app.streams.count).toBe(0);
  },
);

test('of a thousand requests pipelined in one write, the parser emits no more than the limit', async () => {
  const { dial, closed } = await serve();
  const { socket } = await dial(HEALTH.repeat(1_000));
  await isClosed(socket);
  expect(closed).toEqual(['pipelined']);
  const responses = await responsesTo(await dial(HEALTH, LAST)); // on a parser that was paused
  expect(responses).toBe(2);
});

test('responses come in the order of the requests, however many are pipelined', async () => {
  const { dial, closed } = await serve();
  const responses = await responsesTo(await dial(HEALTH.repeat(MAX_UNANSWERED_REQUESTS - 1), LAST));
  expect(responses).toBe(MAX_UNANSWERED_REQUESTS);
  const { socket, received: seen } = await dial();
  for (let number = 1; number <= 2 * MAX_UNANSWERED_REQUESTS; number++) {
    socket.write(HEALTH);
    await expect.poll(() => countResponses(seen())).toBe(number);
  }
  expect(closed).toEqual([]);
});

test('nothing runs after a response that closes the connection', async () => {
  const begun: (string | undefined)[] = [];
  const server = createServer(
    answerInOrder(
      ({ url }, response) => {
        begun.push(url);
        response.setHeader('Connection', url === '/second' ? 'close' : 'keep-alive').end();
      },
      { onClosed: () => {} },
    ).listener,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').resume();
  socket.write(['first', 'second', 'third'].map((name) => `GET /${name} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(''));
  await once(socket, 'close');
  expect(begun).toEqual(['/first', '/second']);
});

test('a client that pipelines as much as it may and closes its side gets all responses', async () => {
  const { dial } = await serve();
  const { socket, received } = await dial();
  socket.end('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(MAX_UNANSWERED_REQUESTS));
  await isClosed(socket);
  expect(countResponses(received())).toBe(MAX_UNANSWERED_REQUESTS);
});

test('only a few of the requests pipelined on many connections start in one event loop turn', async () => {
  const [connections, all] = [40, 40 * MAX_UNANSWERED_REQUESTS];
  let [begun, inTurn, most] = [0, 0, 0];
  const server = createServer(
    answerInOrder(
      (_, response) => {
        begun += 1;
        inTurn += 1;
        response.end();
      },
      { onClosed: () => {} },
    ).listener,
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  for (let number = 0; number < connections; number++)
    connect(port, '127.0.0.1').resume().end(HEALTH.repeat(MAX_UNANSWERED_REQUESTS));
  while (begun < all) {
    await setImmediate();
    [most, inTurn] = [Math.max(most, inTurn), 0];
  }
  expect(most).toBeLessThanOrEqual(connections + 2 * SENT_AHEAD_PER_TURN);
});

test.each([
  ['is closed if the body does not arrive, since the end of the client would go unnoticed', 900_000, 800_000, true],
  ['stays open if the body has arrived', 40_000, 40_000, false],
])('a connection with a request behind a wait %s', async (_, announced, sent, isEnded) => {
  const closed: string[] = [];
  const waiting: ServerResponse[] = [];
  const { listener } = answerInOrder((_request, response) => waiting.push(response), {
    onClosed: () => closed.push('pipelined'),
    maxBodyMs: 200,
  });
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(`${HEALTH}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${announced}\r\n\r\n${'x'.repeat(sent)}`);
  await expect.poll(() => waiting).toHaveLength(1);
  if (isEnded) return void (await expect.poll(() => closed).toEqual(['pipelined']));
  await expect.poll(() => socket.writableLength).toBe(0);
  await sleep(400);
  expect(closed).toEqual([]);
  waiting[0]?.end();
  await expect.poll(() => waiting).toHaveLength(2);
});

type Client = { socket: Socket; received: () => string };

async function responsesTo({ socket, received }: Client): Promise<number> {
  await isClosed(socket);
  return countResponses(received());
}

async function isClosed(socket: Socket): Promise<void> {
  // A reset is a way of closing.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
}

function countResponses(text: string): number {
  return text.split('HTTP/1.1 200 ').length - 1;
}
