// Hubs on one PostgreSQL server under load: senders with idempotency keys that turn to the next hub when theirs does
// not answer, and a reader at each hub that resumes at the next one.
import { setTimeout as after } from 'node:timers/promises';
import { type EventReader, openEvents } from '../../../test/support/http/event-reader.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import type { Command } from '../../support/process.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, type Trial } from '../row.ts';

export type Cluster = {
  server: PostgresServer;
  hubs: Hub[];
  token: string;
  /** Starts the hub of this place again, after its end, or another version of it. */
  restart(place: number, command?: Command): Promise<void>;
};

type Setting = {
  args?: readonly string[];
  /** The URL that the hub of a place uses, by default that of the server. */
  databaseOf?: (place: number) => string;
  commandOf?: (place: number) => Command;
};

/** The hubs of a cluster. */
export const SIZE = 3;
const LANES = 12;
const INBOXES = 4;
/** A client gives up on a hub that does not answer, and asks the next. */
const PATIENCE_MS = 5_000;
const CAUGHT_UP_MS = 30_000;
/** A send that no hub takes for this long has been refused. */
const NO_HUB_MS = 30_000;

/** Undefined where there is no server for this system. */
export async function openServer(trial: Trial): Promise<PostgresServer | undefined> {
  const server = await startPostgres({ isDurable: true });
  if (server !== undefined) trial.atEnd(server.stop);
  return server;
}

export const NO_SERVER = 'there is no PostgreSQL for this system';

export async function openCluster(trial: Trial, server: PostgresServer, setting: Setting = {}): Promise<Cluster> {
  const { args = [], databaseOf = () => server.url, commandOf = () => trial.command } = setting;
  const start = (place: number, command = commandOf(place)): Promise<Hub> =>
    trial.start({ args: ['--database', databaseOf(place), ...args], command });
  const hubs: Hub[] = [];
  while (hubs.length < SIZE) hubs.push(await start(hubs.length));
  const { networkToken: token } = await register(hubs[0]?.url ?? '');
  return { server, hubs, token, restart: async (place, command) => void (hubs[place] = await start(place, command)) };
}

/** A send from its first try to its acknowledgement. */
type Send = { key: string; task_id: string; startedAt: number; tookMs: number; home: number };

export type Traffic = {
  sends: Send[];
  /** Refusals that no send should get, after which the load stops. */
  refused: string[];
  /** Ends the load, waits until all readers have caught up, and returns what is wrong. */
  end(): Promise<string[]>;
};

export async function startTraffic(cluster: Cluster): Promise<Traffic> {
  const sends: Send[] = [];
  const refused: string[] = [];
  let isSending = true;
  let isReading = true;
  const readers = await Promise.all(cluster.hubs.map((_, place) => openReader(cluster, place, () => isReading)));
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let turn = 0; isSending && refused.length === 0; turn++)
      await send(cluster, lane, `key-${lane}-${turn}`).then(
        (sent) => sends.push(sent),
        (error: Error) => refused.push(error.message),
      );
  });
  return {
    sends,
    refused,
    end: async () => {
      isSending = false;
      await Promise.all(lanes);
      const last = refused[0] ?? (await sendUntilTold(cluster, readers));
      isReading = false;
      await Promise.all(readers.map((reader) => reader.close()));
      if (refused.length > 0) return refused.slice(0, 1); // the hubs may not show what they have stored
      return [...flaws(readers, sends), ...(last === undefined ? [] : [last]), ...(await storedFlaws(cluster, sends))];
    },
  };
}

async function send(cluster: Cluster, lane: number, key: string): Promise<Send> {
  const startedAt = performance.now();
  const home = lane % SIZE;
  const body = JSON.stringify({
    alias: `builder-${lane % INBOXES}`,
    task: key,
    from_session: `boss-${lane}`,
    idempotency_key: key,
  });
  for (let place = home; ; place = (place + 1) % SIZE) {
    const task_id = await tryAt(cluster, place, body);
    const tookMs = performance.now() - startedAt;
    if (task_id !== undefined) return { key, task_id, startedAt, tookMs, home };
    if (tookMs > NO_HUB_MS) throw new Error(`no hub has taken a send for ${NO_HUB_MS / 1_000} s`);
    await after(10);
  }
}

/** Undefined if the hub is gone, or cannot take it now. */
async function tryAt({ hubs, token }: Cluster, place: number, body: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${hubs[place]?.url}/api/tasks`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    if (response.status === 503) return undefined;
    if (response.status !== 200) throw new Error(`a send returned ${response.status} ${text}`);
    return JSON.parse(text).task_id;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('a send returned')) throw error;
    return undefined;
  }
}

type Reader = { ids: string[]; tasks: Set<string>; close(): Promise<void> };

/** Reads one stream after the other, each from where the last one ended. */
async function openReader(cluster: Cluster, home: number, isWanted: () => boolean): Promise<Reader> {
  const read: Reader = { ids: [], tasks: new Set(), close: async () => {} };
  let lastEventId: string | undefined;
  let stream: EventReader | undefined;
  const take = (): void => {
    for (const { id, name, data } of stream?.arrived().slice(taken) ?? []) {
      taken += 1;
      if (name === 'resync') throw new Error('a position that was never too old was refused');
      if (id === undefined) continue;
      read.ids.push(id);
      if (typeof data.task_id === 'string') read.tasks.add(data.task_id);
    }
  };
  let taken = 0;
  const open = async (place: number): Promise<EventReader | undefined> => {
    const url = `${cluster.hubs[place]?.url}/events`;
    return openEvents(url, cluster.token, lastEventId === undefined ? {} : { lastEventId }).catch(() => undefined);
  };
  const first = await open(home);
  if (first === undefined) throw new Error('no stream');
  stream = first;
  const reading = (async () => {
    for (let place = home; isWanted(); ) {
      while (stream !== undefined && (await Promise.race([stream.ended.then(() => 'ended'), after(50)])) !== 'ended') {
        take();
        if (!isWanted()) return;
      }
      take();
      lastEventId = stream?.lastEventId() ?? lastEventId;
      place = (place + 1) % SIZE;
      taken = 0;
      stream = await open(place);
      if (stream === undefined) await after(10);
    }
  })();
  return Object.assign(read, {
    close: async () => {
      await reading;
      await stream?.close();
    },
  });
}

/** The events of one more send come after those of all others. */
async function sendUntilTold(cluster: Cluster, readers: readonly Reader[]): Promise<string | undefined> {
  const { task_id } = await send(cluster, 0, 'the last');
  return until(() => readers.every(({ tasks }) => tasks.has(task_id)), CAUGHT_UP_MS).then(
    () => undefined,
    () => `readers without the event of the last send: ${readers.filter(({ tasks }) => !tasks.has(task_id)).length}`,
  );
}

function flaws(readers: readonly Reader[], sends: readonly Send[]): string[] {
  const [first] = readers;
  return readers.flatMap((reader, place) => {
    const untold = sends.filter(({ task_id }) => !reader.tasks.has(task_id)).map(({ key }) => key);
    const isTwice = new Set(reader.ids).size < reader.ids.length;
    const isOther = reader.ids.join() !== first?.ids.join();
    return [
      ...complaint(`sends that reader ${place} did not receive`, untold),
      ...(isTwice ? [`reader ${place} received an event twice`] : []),
      ...(isOther ? [`reader ${place} received other events, or in another order, than the first`] : []),
    ];
  });
}

/** Every acknowledged send is one task, and there are no others. */
async function storedFlaws({ hubs, token }: Cluster, sends: readonly Send[]): Promise<string[]> {
  const stored = new Map<string, string[]>();
  for (const task of await listTasks(restClient(hubs[0]?.url ?? '', token), '')) {
    const content = textOf(task, 'content');
    stored.set(content, [...(stored.get(content) ?? []), textOf(task, 'task_id')]);
  }
  const doubled = [...stored].filter(([, ids]) => ids.length > 1).map(([content]) => content);
  const lost = sends.filter(({ key, task_id }) => stored.get(key)?.[0] !== task_id).map(({ key }) => key);
  return [...complaint('acknowledged sends that are lost', lost), ...complaint('sends stored twice', doubled)];
}
