// Bodies whose requests are answered before they have arrived are discarded, and are bounded: beyond that, their
// connections are closed after the response, so that those of clients that have left do not pile up.
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MAX_REFUSED_BODIES, MEBIBYTE } from '../../server/domain/limits.ts';
import { openListener } from '../../server/serve/listener/listener.ts';
import { openRefusedBodies } from '../../server/serve/listener/refused-bodies.ts';
import { serveHub } from '../support/served-hub.ts';

/** Of one client, while nobody else has any. */
const MOST = MAX_REFUSED_BODIES / 2 / MEBIBYTE;

describe('requests that are refused while their body arrives', () => {
  async function serve() {
    const { app, networkToken } = await serveHub();
    const listener = await openListener('127.0.0.1', 0);
    listener.answer(app.koa.callback(), app.readsBody);
    const closed: unknown[] = [];
    listener.watch((why) => closed.push(why));
    onTestFinished(() => void listener.stop());
    /** A request whose body never arrives whole. */
    const post = async (localAddress: string, first = '') => {
      const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress }).on('error', () => {});
      onTestFinished(() => void socket.destroy());
      let received = '';
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      await once(socket, 'connect');
      const head = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${networkToken}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${MEBIBYTE}\r\n\r\n${first}`);
      return {
        socket,
        statuses: () => [...received.matchAll(/HTTP\/1.1 (\d+) /g)].map(([, status]) => Number(status)),
      };
    };
    const DEEP = '['.repeat(1_000);
    return { closed, refuse: (address: string) => post(address, DEEP) };
  }

  test('stay open up to the limit; beyond it, they get their response and are closed', async () => {
    const { closed, refuse } = await serve();
    const within = await Promise.all(Array.from({ length: MOST }, () => refuse('127.0.0.1')));
    for (const { statuses } of within) await expect.poll(statuses).toEqual([400]);
    expect(closed).toEqual([]);
    const beyond = await refuse('127.0.0.1');
    await once(beyond.socket, 'close');
    expect([beyond.statuses(), closed]).toEqual([[400], ['bodies']]);
    expect(within.filter(({ socket }) => socket.closed)).toEqual([]);
  });

  test('count until a second after they have arrived, or their client has left', async () => {
    const { closed, refuse } = await serve();
    const within = await Promise.all(Array.from({ length: MOST }, () => refuse('127.0.0.1')));
    for (const { statuses } of within) await expect.poll(statuses).toEqual([400]);
    const [whole, left] = within;
    whole?.socket.write(' '.repeat(MEBIBYTE - 1_000));
    left?.socket.destroy();
    const others: Awaited<ReturnType<typeof refuse>>[] = [];
    await expect
      .poll(async () => {
        closed.length = 0;
        others.push(await refuse('127.0.0.1'));
        await expect.poll(() => others.at(-1)?.statuses()).toEqual([400]);
        return others.filter(({ socket }) => !socket.closed).length;
      })
      .toBe(2);
  });
});

describe('the count', () => {
  const request = () =>
    Object.assign(new IncomingMessage(new Socket()), { headers: { 'content-length': `${MEBIBYTE}` } });

  test('leaves half of the rest to the next holder', () => {
    const bodies = openRefusedBodies(1);
    const fill = (holder: string): number => {
      let added = 0;
      while (bodies.add(holder, request())) added += 1;
      return added;
    };
    expect(['mallory', 'ada', 'bo'].map(fill)).toEqual([MOST, MOST / 2, MOST / 4]);
  });

  test('follows the memory, and counts each body once, for a second longer', () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const bodies = openRefusedBodies(1 / MOST);
    const [first, second] = [request(), request()];
    expect([bodies.add('ada', first), bodies.add('ada', second)]).toEqual([true, false]);
    first.emit('end');
    first.socket.emit('close');
    vi.advanceTimersByTime(999);
    expect(bodies.add('ada', second)).toBe(false);
    vi.advanceTimersByTime(1);
    expect([bodies.add('ada', second), bodies.add('ada', request())]).toEqual([true, false]);
  });
});
