// Bodies that no handler reads yet are bounded: beyond that, connections of the same client are not read until others
// are handled. Nobody is refused, and other clients do not wait.
import { once } from 'node:events';
import { IncomingMessage, type ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_UNHANDLED_BODIES } from '../../server/domain/limits.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { openUnhandledBodies } from '../../server/serve/listener/unhandled-bodies.ts';

const BUFFERED = 64 * 1024;
/** Of one client, while nobody else has any. Each counts twice, with the read that contained it. */
const MOST = MAX_UNHANDLED_BODIES / 2 / (2 * BUFFERED);
/** And one more. */
const TENTH = Math.floor(MOST / 10) + 1;

describe('connections whose requests nobody has begun to handle', () => {
  async function serve() {
    const listener = await openListener('127.0.0.1', 0);
    const held: [IncomingMessage, ServerResponse][] = [];
    listener.answer((request, response) => {
      if (request.url === '/held') held.push([request, response]);
      else request.resume().once('end', () => response.end());
    });
    onTestFinished(() => {
      for (const [request] of held) request.destroy();
      return listener.stop();
    });
    const post = async (path: string, localAddress: string): Promise<Socket> => {
      const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${BUFFERED}\r\n\r\n${'x'.repeat(BUFFERED)}`,
      );
      return socket;
    };
    return { held, post };
  }

  test('are not read beyond the limit, and delay nobody else', async () => {
    const { held, post } = await serve();
    for (let n = 0; n < MOST + 40; n += 1) await post('/held', '127.0.0.1');
    await expect.poll(() => held.length).toBe(MOST);
    for (let n = 0; n < 20; n += 1) await once(await post('/other', '127.0.0.2'), 'data');
    expect(held).toHaveLength(MOST);
  });

  test('are read once others are handled or have left', async () => {
    const { held, post } = await serve();
    const sockets: Socket[] = [];
    for (let n = 0; n < MOST + 2 * TENTH; n += 1) sockets.push(await post('/held', '127.0.0.1'));
    await expect.poll(() => held.length).toBe(MOST);
    for (const [request, response] of held.splice(0, TENTH)) request.resume().once('end', () => response.end());
    await expect.poll(() => held.length).toBe(MOST);
    for (const [request] of held.splice(0, TENTH)) request.socket.destroy();
    await expect.poll(() => held.length).toBe(MOST);
  });
});

describe('the count', () => {
  const request = (headers: IncomingMessage['headers']) =>
    Object.assign(new IncomingMessage(new Socket()), { headers });
  const LONG = { 'content-length': String(BUFFERED) };
  const fill = (bodies: ReturnType<typeof openUnhandledBodies>, holder: string): number => {
    let count = 0;
    for (; !bodies.isFull(holder); count += 1) bodies.add(holder, request(LONG));
    return count;
  };

  test('leaves half of what is free to others, and scales with the memory', () => {
    const bodies = openUnhandledBodies(1, () => {});
    expect(['a', 'b', 'c'].map((holder) => fill(bodies, holder))).toEqual([MOST, MOST / 2, MOST / 4]);
    expect(
      fill(
        openUnhandledBodies(1 / 8, () => {}),
        'a',
      ),
    ).toBe(MOST / 8);
  });

  test.each(['resume', 'close'])('ends once with %s', (event) => {
    let freed = 0;
    const bodies = openUnhandledBodies(1 / 8, () => (freed += 1));
    const all = Array.from({ length: MOST / 8 }, () => request(LONG));
    for (const each of all) bodies.add('a', each);
    const rest = all.splice(Math.floor(MOST / 80) + 1);
    for (const each of all) {
      expect(bodies.isFull('a')).toBe(true);
      for (const end of [event, 'resume', 'close']) each.emit(end);
    }
    expect([bodies.isFull('a'), freed]).toEqual([false, all.length]);
    for (const _ of all) bodies.add('a', request(LONG));
    expect(bodies.isFull('a')).toBe(true);
    for (const each of rest) each.emit(event);
    expect(bodies.isFull('a')).toBe(false);
  });

  test.each([
    ['of unknown length, as the longest', { 'transfer-encoding': 'chunked' }, MOST],
    ['of a mebibyte, as what is buffered of it', { 'content-length': '1048576' }, MOST],
    ['of 32 KiB', { 'content-length': '32768' }, 2 * MOST],
  ])('includes bodies %s', (_, headers, most) => {
    const bodies = openUnhandledBodies(1, () => {});
    let count = 0;
    for (; !bodies.isFull('a'); count += 1) bodies.add('a', request(headers));
    expect(count).toBe(most);
  });
});
