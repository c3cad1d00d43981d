// Event stream readers that lose their connection at random times and resume from their last id. The events of all
// their connections are the stored events, in order, once.
import { setTimeout as after } from 'node:timers/promises';
import { type EventReader, openEvents } from '../../../test/support/http/event-reader.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { type EventIds, eventIdsIn, readStoredData } from '../../../test/support/store/stored-data.ts';
import type { Draws } from '../../support/random.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';

const READERS = ['builder', 'builder', 'tester', undefined, undefined, undefined, undefined, undefined] as const;
const SENDERS = 4;
const LONGEST_LISTENING_MS = 60;
const TIMEOUT_MS = 20_000;

type Reader = { alias: string | undefined; from: number; seen: number[]; lastId: string | undefined; ids: EventIds };

export const streamReplay: Row = {
  name: 'stream-replay',
  promise: 'a reader that reconnects misses nothing',
  test: (disconnects) => `${disconnects} random disconnects of ${READERS.length} readers while ${SENDERS} clients send`,
  target: '0 gaps, 0 duplicates, 0 out of order',
  amounts: { least: 80, quick: 200, long: 1_000 },
  run: async (trial) => {
    const hub = await trial.start();
    const { networkToken: token } = await register(hub.url);
    const ids = await eventIdsIn(hub.data);
    const readers = READERS.map((alias): Reader => ({ alias, from: 0, seen: [], lastId: undefined, ids }));
    await Promise.all(readers.map((reader) => arrive(hub, token, reader)));
    await readUnderLoad(hub, token, readers, trial);
    const complaints: string[] = [];
    let events = 0;
    for (const reader of readers) {
      const happened = await eventsOf(hub, reader.alias);
      await readToTheEnd(hub, token, reader, happened.at(-1) ?? 0);
      events += reader.seen.length;
      complaints.push(...differences(reader, happened));
    }
    return {
      figure: `${events} events read, ${complaints.length} readers wrong`,
      complaints: complaint('not what happened', complaints),
    };
  },
};

async function readUnderLoad(
  hub: Hub,
  token: string,
  readers: readonly Reader[],
  { amount, draws }: Trial,
): Promise<void> {
  let isReading = true;
  const sending = Promise.all(
    Array.from({ length: SENDERS }, (_, lane) => sendWhile(hub, token, lane, () => isReading)),
  );
  const disconnectsEach = Math.ceil(amount / readers.length);
  try {
    await Promise.all(readers.map((reader) => reconnect(hub, token, reader, disconnectsEach, draws)));
  } finally {
    isReading = false;
    await sending;
  }
}

async function sendWhile(hub: Hub, token: string, lane: number, isWanted: () => boolean): Promise<void> {
  const rest = restClient(hub.url, token);
  for (let turn = 0; isWanted(); turn++) {
    const alias = turn % 2 === 0 ? 'builder' : 'tester';
    const { status } = await rest.post('/api/tasks', {
      alias,
      task: `task ${lane}-${turn} ${'x'.repeat(turn % 900)}`,
      from_session: `boss-${lane}-${turn}`,
    });
    if (status !== 200) throw new Error(`a send returned ${status}`);
  }
}

async function reconnect(hub: Hub, token: string, reader: Reader, times: number, draws: Draws): Promise<void> {
  for (let time = 0; time < times; time++) {
    await listenFor(hub, token, reader, () => after(draws.below(LONGEST_LISTENING_MS)));
    if (draws.below(1) < 0.3) await after(draws.below(LONGEST_LISTENING_MS)); // some stay away while events accumulate
  }
}

async function arrive(hub: Hub, token: string, reader: Reader): Promise<void> {
  const stream = await open(hub, token, reader);
  await until(() => stream.lastEventId() !== undefined, TIMEOUT_MS, 2);
  await stream.close();
  reader.lastId = stream.lastEventId();
  reader.from = reader.ids.seqIn(reader.lastId);
}

function open(hub: Hub, token: string, { alias, lastId }: Reader): Promise<EventReader> {
  const url = `${hub.url}/events${alias === undefined ? '' : `/${alias}`}`;
  return openEvents(url, token, lastId === undefined ? {} : { lastEventId: lastId });
}

/** Opens the stream where the reader stopped, and disconnects at a random time. */
async function listenFor(
  hub: Hub,
  token: string,
  reader: Reader,
  wait: (stream: EventReader) => Promise<unknown>,
): Promise<void> {
  const stream = await open(hub, token, reader);
  await wait(stream);
  await stream.close();
  const events = stream.arrived().filter(({ id }) => id !== undefined);
  if (events.some(({ name }) => name === 'resync')) throw new Error('a position that was never too old was refused');
  reader.seen.push(...events.map(({ id }) => reader.ids.seqIn(id)));
  reader.lastId = events.at(-1)?.id ?? reader.lastId;
}

/** The comparison reports what is missing even then. */
function readToTheEnd(hub: Hub, token: string, reader: Reader, last: number): Promise<void> {
  return listenFor(hub, token, reader, (stream) =>
    until(() => reader.ids.seqIn(stream.lastEventId()) >= last, TIMEOUT_MS).catch(() => {}),
  );
}

// A task transition is one event or two. For two, it has the number of the second.
const EVENTS = `SELECT seq, alias FROM events
  UNION ALL SELECT event_seq - (alias IS NOT NULL), NULL FROM task_events WHERE is_event = 1
  UNION ALL SELECT event_seq, alias FROM task_events WHERE alias IS NOT NULL`;

async function eventsOf(hub: Hub, alias: string | undefined): Promise<number[]> {
  const stored = await readStoredData(hub.data);
  const rows = await stored.rows(
    `SELECT seq FROM (${EVENTS}) ${alias === undefined ? '' : `WHERE alias = '${alias}'`} ORDER BY seq`,
  );
  stored.close();
  return rows.map(([seq]) => Number(seq));
}

/** From the reader's first event, because before that no reader could miss any. */
function differences({ alias, from, seen }: Reader, happened: readonly number[]): string[] {
  const distinct = new Set(seen);
  const gaps = happened.filter((seq) => seq > from && !distinct.has(seq)).length;
  const isInOrder = seen.every((seq, index) => index === 0 || seq >= (seen[index - 1] ?? 0));
  const duplicates = seen.length - distinct.size;
  const name = alias ?? 'whole network';
  return gaps + duplicates === 0 && isInOrder
    ? []
    : [`${name}: ${gaps} gaps, ${duplicates} duplicates${isInOrder ? '' : ', out of order'}`];
}
