// A client that opens connections and closes them before they are answered, again and again, gets no more for a moment.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from '../../server/serve/listener/connections.ts';
import type { Closed } from '../../server/serve/listener/eviction.ts';

const MAX_ABORTED = 5;
const [CLIENT, OTHER] = ['198.51.100.7', '198.51.100.8'];

/** A server that answers at once, except on /wait. */
async function served() {
  const closed: Closed[] = [];
  let address = CLIENT;
  const server = createServer(({ url }, response) => (url === '/wait' ? undefined : response.end('ok')));
  limitConnections(server, (why) => closed.push(why), {
    maxAborted: MAX_ABORTED,
    addressOf: () => address,
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  let open = 0;
  server.on('connection', (socket: Socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  const abort = async (path: string, from = CLIENT): Promise<void> => {
    address = from;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const accepted = once(server, 'connection');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    await accepted;
    if (path !== '/wait') await once(socket, 'data');
    socket.resetAndDestroy();
    await expect.poll(() => open).toBe(0);
  };
  const answer = async (from = CLIENT): Promise<string> => {
    address = from;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let received = '';
    socket.on('data', (bytes) => (received += String(bytes)));
    await once(socket, 'close');
    return received.slice(0, 15);
  };
  return { closed, abort, answer };
}

test('a client that gives up often before an answer is refused, others are not, and it is not for long', async () => {
  const { closed, abort, answer } = await served();
  for (let n = 0; n <= MAX_ABORTED; n++) await abort('/wait');
  expect([await answer(), closed]).toEqual(['', ['aborted']]);
  expect(await answer(OTHER)).toBe('HTTP/1.1 200 OK');
  await expect.poll(() => answer(), { interval: 100 }).toBe('HTTP/1.1 200 OK');
});

test('local programs, which share their address, are not refused', async () => {
  const { closed, abort, answer } = await served();
  for (let n = 0; n < 3 * MAX_ABORTED; n++) await abort('/wait', '127.0.0.1');
  expect([await answer('127.0.0.1'), closed]).toEqual(['HTTP/1.1 200 OK', []]);
});

test('a client that closes its connections after the answers is not refused', async () => {
  const { closed, abort, answer } = await served();
  for (let n = 0; n < 3 * MAX_ABORTED; n++) await abort('/');
  expect([await answer(), closed]).toEqual(['HTTP/1.1 200 OK', []]);
});
