// The body of a request that no handler reads is dropped: the parser does not copy it, it takes no memory while its
// request waits for others, and what follows it on the connection is answered as always.
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  MAX_BODY_BYTES,
  MAX_DISCARDED_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  MAX_WAITING_BODIES,
} from '../../server/domain/limits.ts';
import { ROUTES } from '../../server/http/routes.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { STREAM } from '../support/http/resets.ts';
import { serveHub } from '../support/served-hub.ts';

async function serve() {
  const hub = await serveHub();
  const listener = await openListener('127.0.0.1', 0);
  const pushed = vi.spyOn(IncomingMessage.prototype, 'push'); // what the parser has copied
  const copied = (): number => pushed.mock.calls.reduce((sum, [chunk]) => sum + (chunk?.length ?? 0), 0);
  onTestFinished(() => void pushed.mockRestore());
  listener.answer(hub.app.koa.callback(), hub.app.readsBody);
  const closed: unknown[] = [];
  listener.watch((why) => closed.push(why));
  onTestFinished(() => void listener.stop());
  const dial = async () => {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
    onTestFinished(() => void socket.destroy());
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    await once(socket, 'connect');
    const statuses = (): number[] => [...received.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => Number(status));
    return { socket, statuses };
  };
  return { ...hub, dial, closed, copied };
}

const head = (path: string, fields: readonly string[], method = 'POST'): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', 'Content-Type: application/json', ...fields, '', ''].join('\r\n');
const post = (path: string, text: string, token?: string, method?: string): string => {
  const authorization = token === undefined ? [] : [`Authorization: Bearer ${token}`];
  return head(path, [...authorization, `Content-Length: ${text.length}`], method) + text;
};
/** Replaced by a valid one. */
const TOKEN = '{token}';
const CHUNKED = ['Transfer-Encoding: chunked'];
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const TASK = JSON.stringify({ alias: 'builder', task: 'x'.repeat(9_000) });

test.each([
  ['of an unknown path', 404, post('/nowhere', TASK)],
  ['of another method', 405, post('/api/tasks', TASK, undefined, 'DELETE')],
  ['without a token', 401, post('/api/tasks', TASK)],
  ['without a token, at /mcp', 401, post('/mcp', TASK)],
  ['longer than a public route accepts', 413, post('/api/auth/login', ' '.repeat(MAX_PUBLIC_BODY_BYTES + 1))],
  ['longer than its route accepts', 413, post('/api/tasks', ' '.repeat(MAX_BODY_BYTES + 1), TOKEN)],
  ['in chunks', 404, head('/nowhere', CHUNKED) + chunk(TASK) + chunk('')],
])('a body %s is not copied, and the next request of its connection is read', async (_, status, request) => {
  const { dial, copied, networkToken } = await serve();
  const { socket, statuses } = await dial();
  const refused = request.replace(TOKEN, networkToken);
  socket.write(refused);
  await expect.poll(statuses).toEqual([status]);
  expect(copied()).toBe(0);
  const sent = post('/api/tasks', TASK, networkToken);
  socket.write(refused + sent + refused + sent);
  await expect.poll(statuses).toEqual([status, status, 200, status, 200]);
  expect(copied()).toBe(2 * TASK.length);
});

test('the rest of a body that is refused while it arrives is not copied, and the next request of its connection is read', async () => {
  const { dial, copied, networkToken } = await serve();
  const { socket, statuses } = await dial();
  const deep = '['.repeat(1_000).padEnd(MAX_BODY_BYTES);
  socket.write(post('/api/tasks', deep, networkToken) + post('/api/tasks', TASK, networkToken));
  await expect.poll(statuses).toEqual([400, 200]);
  expect(copied()).toBeLessThan(MAX_BODY_BYTES / 2);
});

test('unread bodies that wait behind streams do not count as waiting ones', async () => {
  const { dial, networkToken, closed } = await serve();
  const [length, each] = [60_000, 10];
  const clients: { socket: Socket; statuses: () => number[] }[] = [];
  for (let sent = 0; sent <= MAX_WAITING_BODIES; sent += length * each) {
    const client = await dial();
    client.socket.write(STREAM(networkToken) + post('/nowhere', ' '.repeat(length)).repeat(each));
    clients.push(client);
  }
  for (const { socket, statuses } of clients) {
    await expect.poll(() => [socket.writableLength, statuses()]).toEqual([0, [200]]);
  }
  expect(closed).toEqual([]);
});

test('an unread body in chunks ends its connection once it is too long', async () => {
  const { dial, copied } = await serve();
  const { socket, statuses } = await dial();
  const part = ' '.repeat(64 * 1024);
  const closing = once(socket, 'close');
  socket.write(head('/nowhere', CHUNKED));
  for (let sent = 0; sent < MAX_DISCARDED_BYTES + 2 * part.length; sent += part.length) socket.write(chunk(part));
  await closing;
  expect([statuses(), copied()]).toEqual([[404], 0]);
});

const AT = (path: string): string => path.replaceAll(/:\w+/g, 'a1');

test('bodies are read for POST and PUT only, and without a token only for public routes', async () => {
  const { app } = await serve();
  const reads = (method: string, url: string, headers: IncomingMessage['headers'] = {}): boolean =>
    app.readsBody({ method, url, headers } as IncomingMessage);
  const authorization = { authorization: 'Bearer any' };
  for (const [method, path, { access }] of ROUTES) {
    const isSending = method === 'POST' || method === 'PUT';
    for (const url of [AT(path), `${AT(path)}?limit=1`, `${AT(path)}/`]) {
      expect([url, method, reads(method, url, authorization)]).toEqual([url, method, isSending]);
      expect([url, method, reads(method, url)]).toEqual([url, method, isSending && access === 'public']);
    }
  }
  expect(reads('POST', '/mcp', authorization)).toBe(true);
  expect(reads('POST', '/mcp')).toBe(false);
  for (const url of ['/', '/mcp/a', '/register', '/api', '*', 'http://a/mcp']) {
    expect([url, reads('POST', url, authorization)]).toEqual([url, false]);
  }
});
