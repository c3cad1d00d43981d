// Readers of the event stream that come back, come too late, or do not read: none misses an event or sees one twice.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { run as forgetEvents } from '../../server/sweeps/forget-events.ts';
import type { EventReader } from '../support/event-reader.ts';
import { rowsOf } from '../support/scene.ts';
import { serveHub, type ServedHub } from '../support/served-hub.ts';
import { beginning, messagesOf, messagesUntil, read, say } from '../support/stream-scene.ts';

const DAY_MS = 86_400_000;

describe('a reader that comes back', () => {
  test('is sent what it missed, in order, then what happens', async () => {
    const hub = await serveHub();
    const first = await read(hub, '/events/bob');
    for (const message of ['a', 'b']) await say(hub, message);
    const { id } = await first.next('new_message', { message: 'a' });
    await first.close();
    for (const message of ['c', 'd']) await say(hub, message);
    const second = await read(hub, '/events/bob', { lastEventId: id ?? '' });
    await second.next('new_message', { message: 'd' });
    await say(hub, 'e');
    expect(await messagesUntil(second, 'e')).toEqual(['b', 'c', 'd', 'e']);
  });

  test('before its first event comes back to where it opened', async () => {
    const hub = await serveHub();
    await say(hub, 'before');
    const first = await read(hub, '/events/bob');
    await vi.waitFor(() => expect(first.lastEventId()).toBeDefined());
    await first.close();
    await say(hub, 'missed');
    const second = await read(hub, '/events/bob', { lastEventId: first.lastEventId() ?? '' });
    expect(await messagesUntil(second, 'missed')).toEqual(['missed']);
  });

  test('may name its last id in the query', async () => {
    const hub = await serveHub();
    const first = await read(hub, '/events/bob');
    await say(hub, 'a');
    const { id } = await first.next('new_message');
    await say(hub, 'b');
    const second = await read(hub, `/events/bob?last_event_id=${id}`);
    expect(await messagesUntil(second, 'b')).toEqual(['b']);
  });

  test('at random, while writes go on, misses nothing and sees nothing twice', async () => {
    const hub = await serveHub();
    const total = 400;
    const writes = (async () => {
      for (let start = 1; start <= total; start += 5) await Promise.all([0, 1, 2, 3, 4].map((more) => say(hub, `message ${start + more}`)));
    })();
    const ids: string[] = [];
    const seen: unknown[] = [];
    let lastEventId: string | undefined = await beginning(hub);
    for (let visit = 1; seen.length < total; visit++) {
      const reader: EventReader = await read(hub, '/events/bob', { lastEventId: lastEventId ?? '' });
      const stay = 1 + ((visit * 37) % 23); // leaves after so many events, each time another number
      for (let count = 0; count < stay && seen.length < total; count++) {
        const { id, data } = await reader.next('new_message');
        ids.push(id ?? '');
        seen.push(data['message']);
        lastEventId = id;
      }
      await reader.close();
    }
    await writes;
    expect(new Set(ids).size).toBe(total);
    expect([...seen].sort()).toEqual(Array.from({ length: total }, (_, index) => `message ${index + 1}`).sort());
    expect(ids.map((id) => Number(id.split('-')[1]))).toEqual(ids.map((id) => Number(id.split('-')[1])).sort((one, other) => one - other));
  });

  test('after much was missed gets it all, and the process warns of nothing', async () => {
    const hub = await serveHub();
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const total = 450;
    await Promise.all(Array.from({ length: total }, (_, index) => say(hub, `${index} ${'猫'.repeat(9_000)}`)));
    const reader = await read(hub, '/events/bob', { lastEventId: await beginning(hub) });
    await vi.waitFor(() => expect(messagesOf(reader)).toHaveLength(total), { timeout: 10_000 });
    expect(warnings).toEqual([]);
  });
});

describe('resync comes first where nothing can be replayed, then what happens', () => {
  async function openAfterForgetting(): Promise<{ hub: ServedHub; epoch: string; oldest: number; latest: number }> {
    const hub = await serveHub();
    await say(hub, 'forgotten');
    await say(hub, 'forgotten as well');
    hub.hub.clock.advance(DAY_MS + 1);
    await say(hub, 'kept');
    await forgetEvents(hub.hub);
    const [row] = await rowsOf(hub, 'SELECT epoch, min(seq) AS oldest, max(seq) AS latest FROM hub, events');
    return { hub, epoch: String(row?.['epoch']), oldest: Number(row?.['oldest']), latest: Number(row?.['latest']) };
  }

  test.each<[string, (at: { epoch: string; oldest: number; latest: number }) => string]>([
    ['an id too old', ({ epoch, oldest }) => `${epoch}-${oldest - 2}`],
    ['the beginning, which is forgotten', ({ epoch }) => `${epoch}-0`],
    ['an id of the future', ({ epoch, latest }) => `${epoch}-${latest + 1}`],
    ['an id of another hub', ({ latest }) => `abcdef-${latest}`],
    ['no id at all', () => 'nonsense'],
    ['a negative one', ({ epoch }) => `${epoch}--1`],
    ['a number beyond all', ({ epoch }) => `${epoch}-99999999999999999999`],
    ['something long', () => 'x'.repeat(500)],
  ])('%s', async (_, idOf) => {
    const { hub, ...at } = await openAfterForgetting();
    const reader = await read(hub, '/events/bob', { lastEventId: idOf(at) });
    const present = `${at.epoch}-${at.latest}`;
    expect(await reader.next('resync')).toEqual({ name: 'resync', id: present, data: { type: 'resync', reason: expect.stringMatching(/.+/), id: present } });
    await say(hub, 'live');
    expect(await messagesUntil(reader, 'live')).toEqual(['live']);
    expect(reader.arrived().filter(({ name }) => name !== 'heartbeat')[0]?.name).toBe('resync');
  });

  test.each<[string, (at: { oldest: number; latest: number }) => number, unknown[]]>([
    ['the last one forgotten', ({ oldest }) => oldest - 1, ['kept', 'live']],
    ['the latest', ({ latest }) => latest, ['live']],
  ])('but not for %s: everything after it is still there', async (_, seqOf, messages) => {
    const { hub, ...at } = await openAfterForgetting();
    const reader = await read(hub, '/events/bob', { lastEventId: `${at.epoch}-${seqOf(at)}` });
    await say(hub, 'live');
    expect(await messagesUntil(reader, 'live')).toEqual(messages);
    expect(reader.arrived().some(({ name }) => name === 'resync')).toBe(false);
  });
});

describe('a reader that does not read', () => {
  /** Opens a stream and, once it has begun, reads no more. */
  async function stall(hub: ServedHub, lastEventId: string): Promise<Socket> {
    const { host, hostname, port } = new URL(hub.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => {}); // cut off in the middle of what it did not read
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /events/bob HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${hub.networkToken}\r\nLast-Event-ID: ${lastEventId}\r\n\r\n`);
    const [first] = await once(socket, 'data');
    socket.pause();
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    return socket;
  }

  /** What had come to it before it was cut off: whole frames only. */
  async function readRest(socket: Socket): Promise<string[]> {
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.resume();
    await once(socket, 'close');
    return [...text.matchAll(/id: (\w+-\d+)\nevent: new_message\ndata: [^\n]*\n\n/g)].map(([, id]) => id ?? '');
  }

  test('is cut off, delays nobody, and finds the rest when it comes back', async () => {
    const hub = await serveHub();
    const start = await beginning(hub);
    const stalled = await stall(hub, start);
    const quick = await read(hub, '/events/bob', { lastEventId: start });
    const total = 1_600; // 47 MB: the system's own buffers may hold 37 of them
    for (let count = 40; count <= total; count += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, index) => say(hub, `${count + index} ${'猫'.repeat(9_900)}`)));
      await vi.waitFor(() => expect(messagesOf(quick)).toHaveLength(count), { timeout: 5_000, interval: 5 });
    }
    const all = messagesOf(quick).map(({ id }) => id);
    await vi.waitFor(async () => expect(await hub.connections()).toBe(1), { timeout: 5_000 }); // the quick reader's
    const ids = await readRest(stalled);
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.length).toBeLessThan(total);
    expect(ids).toEqual(all.slice(0, ids.length));
    const back = await read(hub, '/events/bob', { lastEventId: ids.at(-1) ?? start });
    await vi.waitFor(() => expect(messagesOf(back)).toHaveLength(total - ids.length), { timeout: 10_000 });
    expect([...ids, ...messagesOf(back).map(({ id }) => id)]).toEqual(all);
  });
});
