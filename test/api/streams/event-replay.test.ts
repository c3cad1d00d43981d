// Event stream readers that reconnect, possibly too late. None misses an event or sees one twice.
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { pruneEvents } from '../../../server/sweeps/sweeps.ts';
import { rowsOf } from '../../support/fixture.ts';
import type { EventReader } from '../../support/http/event-reader.ts';
import { type ServedHub, serveHub } from '../../support/served-hub.ts';
import { eventIdOf, seqIn } from '../../support/store/event-ids.ts';
import { beginning, messagesOf, messagesUntil, read, sendText } from '../../support/stream-fixture.ts';

const DAY_MS = 86_400_000;

describe('a reader that reconnects', () => {
  test('gets what it missed, in order, then live events', async () => {
    const hub = await serveHub();
    const first = await read(hub, '/events/bob');
    for (const message of ['a', 'b']) await sendText(hub, message);
    const { id } = await first.next('new_message', { message: 'a' });
    await first.close();
    for (const message of ['c', 'd']) await sendText(hub, message);
    const second = await read(hub, '/events/bob', { lastEventId: id ?? '' });
    await second.next('new_message', { message: 'd' });
    await sendText(hub, 'e');
    expect(await messagesUntil(second, 'e')).toEqual(['b', 'c', 'd', 'e']);
  });

  test('before its first event resumes where it connected', async () => {
    const hub = await serveHub();
    await sendText(hub, 'before');
    const first = await read(hub, '/events/bob');
    await vi.waitFor(() => expect(first.lastEventId()).toBeDefined(), 20_000);
    await first.close();
    await sendText(hub, 'missed');
    const second = await read(hub, '/events/bob', { lastEventId: first.lastEventId() ?? '' });
    expect(await messagesUntil(second, 'missed')).toEqual(['missed']);
  });

  test('can pass its last id in the query', async () => {
    const hub = await serveHub();
    const first = await read(hub, '/events/bob');
    await sendText(hub, 'a');
    const { id } = await first.next('new_message');
    await sendText(hub, 'b');
    const second = await read(hub, `/events/bob?last_event_id=${id}`);
    expect(await messagesUntil(second, 'b')).toEqual(['b']);
  });

  test('at random times during writes misses nothing and sees nothing twice', async () => {
    const hub = await serveHub();
    const total = 400;
    const writes = (async () => {
      for (let start = 1; start <= total; start += 5)
        await Promise.all([0, 1, 2, 3, 4].map((more) => sendText(hub, `message ${start + more}`)));
    })();
    const ids: string[] = [];
    const seen: unknown[] = [];
    let lastEventId: string | undefined = await beginning(hub);
    for (let visit = 1; seen.length < total; visit++) {
      const reader: EventReader = await read(hub, '/events/bob', { lastEventId: lastEventId ?? '' });
      const stay = 1 + ((visit * 37) % 23); // leaves after a varying number of events
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
    const numbers = ids.map((id) => seqIn(hub.hub, id));
    expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  });

  test('after a long absence gets everything, without process warnings', async () => {
    const hub = await serveHub();
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', onWarning);
    onTestFinished(() => void process.off('warning', onWarning));
    const total = 450;
    await Promise.all(Array.from({ length: total }, (_, index) => sendText(hub, `${index} ${'猫'.repeat(9_000)}`)));
    const reader = await read(hub, '/events/bob', { lastEventId: await beginning(hub) });
    await vi.waitFor(() => expect(messagesOf(reader)).toHaveLength(total), 20_000);
    expect(warnings).toEqual([]);
  });
});

describe('resync comes first when a replay is impossible, then live events', () => {
  async function openAfterForgetting(): Promise<{ hub: ServedHub; epoch: string; oldest: number; latest: number }> {
    const hub = await serveHub();
    await sendText(hub, 'forgotten');
    await sendText(hub, 'forgotten as well');
    hub.hub.clock.advance(DAY_MS + 1);
    await sendText(hub, 'kept');
    await pruneEvents(hub.hub);
    const [row] = await rowsOf(
      hub,
      'SELECT (SELECT epoch FROM hub) AS epoch, min(seq) AS oldest, max(seq) AS latest FROM events',
    );
    return { hub, epoch: String(row?.['epoch']), oldest: Number(row?.['oldest']), latest: Number(row?.['latest']) };
  }

  type At = { epoch: string; oldest: number; latest: number; idOf: (seq: number) => Promise<string> };

  test.each<[string, (at: At) => string | Promise<string>]>([
    ['an expired id', ({ idOf, oldest }) => idOf(oldest - 2)],
    ['the start, which is no longer stored', ({ idOf }) => idOf(0)],
    ['a future id', ({ idOf, latest }) => idOf(latest + 1)],
    ['an id of another hub', async ({ idOf, epoch, latest }) => (await idOf(latest)).replace(epoch, 'abcdef')],
    [
      'a changed one',
      async ({ idOf, latest }) => (await idOf(latest)).replace(/.$/, (last) => (last === 'A' ? 'g' : 'A')),
    ],
    ['a longer one', async ({ idOf, latest }) => `${await idOf(latest)}A`],
    ['the number itself', ({ epoch, latest }) => `${epoch}-${latest}`],
    ['no id at all', () => 'nonsense'],
    ['something long', () => 'x'.repeat(500)],
  ])('%s', async (_, idOf) => {
    const { hub, ...at } = await openAfterForgetting();
    const reader = await read(hub, '/events/bob', {
      lastEventId: await idOf({ ...at, idOf: (seq) => eventIdOf(hub, seq) }),
    });
    const { id, data } = await reader.next('resync');
    expect(data).toEqual({ type: 'resync', reason: expect.stringMatching(/.+/), id });
    expect(seqIn(hub.hub, id)).toBe(at.latest);
    await sendText(hub, 'live');
    expect(await messagesUntil(reader, 'live')).toEqual(['live']);
    expect(reader.arrived().filter(({ name }) => name !== 'heartbeat')[0]?.name).toBe('resync');
  });

  test.each<[string, (at: { oldest: number; latest: number }) => number, unknown[]]>([
    ['the last deleted one', ({ oldest }) => oldest - 1, ['kept', 'live']],
    ['the latest', ({ latest }) => latest, ['live']],
  ])('but not for %s: all later events are still stored', async (_, seqOf, messages) => {
    const { hub, ...at } = await openAfterForgetting();
    const reader = await read(hub, '/events/bob', { lastEventId: await eventIdOf(hub, seqOf(at)) });
    await sendText(hub, 'live');
    expect(await messagesUntil(reader, 'live')).toEqual(messages);
    expect(reader.arrived().some(({ name }) => name === 'resync')).toBe(false);
  });
});
