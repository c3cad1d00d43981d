// What connects the hubs on one database: each announces itself, publishes the events that others commit, in order,
// and learns when others change access rights. One of them is the leader, which runs the sweeps. NOTIFY announces
// events and rights at once; each hub also polls for them, since a notification can be lost.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Notification } from 'pg';
import type { Gossip, StreamEvent } from '../../../domain/events.ts';
import type { Millis } from '../../../domain/time/clock.ts';
import { RENEW_EPOCH } from '../../whole-hub.ts';
import type { ClusterHub, ClusterSelf } from '../cluster.ts';
import type { Shared } from '../database.ts';
import type { SqlValue } from '../transaction.ts';
import { GONE_MS, IS_ALIVE, SERVER_NOW } from './alive.ts';
import { AS_JSON } from './cluster.ts';
import type { Connection } from './connection/connection.ts';
import type { Statements } from './connection/statements.ts';
import { GOSSIP, type Gossiping } from './gossip.ts';
import { contract, SCHEMA } from './upgrade.ts';

type TailOptions = {
  connection: Connection;
  hubId: string;
  self: ClusterSelf | undefined;
  /** The number of the latest event at the start. */
  start: number;
  /** This hub has received no heartbeats until then. */
  startedAt: Millis;
  /** Reads events after a number in order. `end` is the number up to which all have been found. */
  readAfter(seq: number): Promise<{ found: readonly StreamEvent[]; end: number }>;
  publish: (events: readonly StreamEvent[]) => void;
  onRights: (version: number) => void;
  onShared: (shared: Shared) => void;
  onGossip: (gossip: readonly Gossip[]) => void;
  gossip: Gossiping;
  /** Called once when an operator has asked this hub to stop. */
  onDrain: () => void;
  /** Called once when the schema no longer has what this version needs. */
  onOutdated: () => void;
  /** Called when the database no longer has events that this hub has published. Event ids have changed then. */
  onSetBack: () => void;
  /** Called when the database has not been heard for so long that the other hubs take this one for lost. */
  onDeaf: () => void;
  onError: (error: unknown) => void;
};

export type Tail = {
  /** Publishes what this hub has committed, after everything that others committed before. */
  committed(events: readonly StreamEvent[]): void;
  /** Tells the others that all heartbeats until this moment are stored. */
  heartbeatsStored(until: Millis): void;
  isLeader(): boolean;
  /** All hubs on the database, as of the last poll; none if it failed. */
  hubs(): readonly ClusterHub[];
  eventsBehind(): number;
  /** Resolves after the first poll. */
  joined: Promise<void>;
  close(): Promise<void>;
};

export const EVENTS = 'agenthub_events';
export const RIGHTS = 'agenthub_rights';

const POLL_MS = 250;
/** After so many events of others, the next ones are read together: each read costs as much as 20 of them. */
const BUSY_EVENTS = 16;
const REST_MS = 15;

type Seen = {
  seq: number;
  access_version: number;
  needed_version: number;
  now: Millis;
  others_until: Millis | null;
  hubs: string;
};

export function openTail(options: TailOptions): Tail {
  const { connection, hubId, self, start, startedAt, readAfter, publish, onRights, onShared, onError } = options;
  let published = start;
  let latest = start;
  let isReading = false;
  let rested: Promise<unknown> | undefined;
  let isClosed = false;
  let isLeader = false;
  /** A command that opens the database runs no sweeps. */
  let isCandidate = false;
  let isPolling = false;
  let storedUntil = startedAt;
  let hubs: readonly ClusterHub[] = [];
  let isDraining = false;
  let isOutdated = false;
  let heardAt = performance.now();
  let isDeaf = false;
  /** The connection that listens and holds the lock of the leader. */
  let joined: object | undefined;

  const read = async (): Promise<void> => {
    if (isReading || isClosed) return;
    isReading = true;
    try {
      while (published < latest && !isClosed) {
        await rested;
        const before = published;
        const { found, end } = await readAfter(published);
        rested = end - before > BUSY_EVENTS ? sleep(REST_MS) : undefined;
        const fresh = found.filter(({ seq }) => seq > published); // own events may have been published meanwhile
        published = Math.max(published, end);
        publish(fresh);
      }
    } catch (error) {
      onError(error);
    } finally {
      isReading = false;
    }
  };
  const noteLatest = (seq: number): void => {
    latest = Math.max(latest, seq);
    if (published < latest) void read();
  };
  const onNotification = ({ channel, payload }: Notification): void => {
    if (channel === GOSSIP) return options.onGossip(options.gossip.told(payload ?? ''));
    if (channel === RIGHTS) return onRights(Number(payload));
    const [seq, from] = (payload ?? '').split(' ');
    if (from !== hubId) return noteLatest(Number(seq));
    latest = Math.max(latest, Number(seq)); // this hub publishes it when it knows that the commit stands
  };
  const join = async (): Promise<Statements> => {
    const { client, statements } = await connection.open();
    if (joined !== client) {
      isLeader = false;
      joined = client;
      client.on('notification', onNotification);
      await client.query(`LISTEN ${EVENTS}; LISTEN ${RIGHTS}; LISTEN ${GOSSIP}`);
    }
    return statements;
  };
  const noteHubs = (found: readonly ClusterHub[]): void => {
    hubs = found;
    if (isDraining || !hubs.some(({ hub_id, is_draining }) => hub_id === hubId && is_draining)) return;
    isDraining = true;
    options.onDrain();
  };
  /** A hub that was frozen during the upgrade of the others may wake up too late. */
  const noteNeeded = async (statements: Statements, needed: number): Promise<void> => {
    if (isLeader && needed < SCHEMA.version) await contract(statements).catch(onError);
    if (isOutdated || needed <= SCHEMA.version) return;
    isOutdated = true;
    options.onOutdated();
  };
  const announced = (): SqlValue[] => [
    ...[hubId, storedUntil, self?.name ?? null, self?.version ?? null, startedAt],
    ...[isLeader ? 1 : 0, published, self?.streams() ?? 0, SCHEMA.version],
  ];
  /** The database was restored while this hub ran, or a standby that lacked commits has taken over. */
  const setBack = async (statements: Statements, seq: number): Promise<void> => {
    await statements.run(RENEW_EPOCH, []);
    published = latest = seq;
    options.onSetBack();
  };
  const poll = async (): Promise<void> => {
    try {
      const statements = await join();
      const before = published;
      const seen = await statements.first<Seen>(POLL, announced());
      if (seen === undefined || isClosed) return;
      heardAt = performance.now();
      isDeaf = false;
      if (seen.seq < before) await setBack(statements, seen.seq);
      noteHubs(JSON.parse(seen.hubs));
      if (isCandidate && !isLeader) isLeader = await lead(statements, hubs);
      await noteNeeded(statements, seen.needed_version);
      onShared({ now: seen.now, othersStoredUntil: seen.others_until ?? Infinity });
      onRights(seen.access_version);
      noteLatest(seen.seq);
    } catch {
      isLeader = false;
      hubs = [];
      connection.drop(); // the next poll opens another
    }
  };
  const pollOnce = async (): Promise<void> => {
    isPolling = true;
    await poll();
    isPolling = false;
  };
  let polling = pollOnce();
  const timer = setInterval(() => {
    if (!isPolling) polling = pollOnce();
    if (isDeaf || performance.now() - heardAt < GONE_MS) return;
    isDeaf = true;
    options.onDeaf();
  }, POLL_MS);
  return {
    committed: (events) => {
      const [first, last] = [events[0]?.seq, events.at(-1)?.seq];
      if (first === undefined || last === undefined) return;
      latest = Math.max(latest, last);
      if (published !== first - 1) return void read();
      published = last;
      publish(events);
    },
    heartbeatsStored: (until) => void (storedUntil = until),
    isLeader: () => {
      isCandidate = true;
      return isLeader;
    },
    hubs: () => hubs,
    eventsBehind: () => Math.max(0, latest - published),
    joined: polling,
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      await polling;
      const statements = await connection.statements().catch(() => undefined);
      await statements?.run('DELETE FROM hubs WHERE hub_id = ?', [hubId]).catch(() => {});
      await connection.close();
    },
  };
}

/** Takes the lock of the leader if it is free. A hub that is frozen keeps its sessions, and would keep the lock. */
async function lead(statements: Statements, hubs: readonly ClusterHub[]): Promise<boolean> {
  const taken = await statements.first<{ is_leader: number }>(LEAD, []);
  if (taken?.is_leader === 1) return true;
  if (hubs.some(({ is_leader }) => is_leader)) return false;
  await statements.all(END_LOST_LEADER, []).catch(() => {}); // the session of another user may not be ended
  return false;
}

/** Announces this hub, forgets those that are gone and earlier runs of this one, and reads what concerns it. */
const POLL = `WITH own AS (
    INSERT INTO hubs (hub_id, hub_name, version, started_at, seen_at, heartbeats_until, is_leader, events_behind, streams,
      session, schema_version)
    SELECT ?1, ?3, ?4, CAST(?5 AS bigint), ${SERVER_NOW}, CAST(?2 AS bigint), CAST(?6 AS bigint),
      greatest(0, seq - CAST(?7 AS bigint)), CAST(?8 AS bigint), pg_backend_pid(),
      CAST(?9 AS bigint) FROM hub
    ON CONFLICT (hub_id) DO UPDATE SET seen_at = excluded.seen_at, heartbeats_until = excluded.heartbeats_until,
      is_leader = excluded.is_leader, events_behind = excluded.events_behind, streams = excluded.streams,
      session = excluded.session
    RETURNING *),
  gone AS (DELETE FROM hubs WHERE hub_id <> ?1 AND NOT ${IS_ALIVE}
    AND (seen_at < ${SERVER_NOW} - ${60 * GONE_MS} OR hub_name = ?3) RETURNING hub_id),
  ended AS (DELETE FROM commits WHERE hub_id IN (SELECT hub_id FROM gone)),
  known AS (SELECT * FROM own UNION ALL SELECT * FROM hubs WHERE hub_id <> ?1)
  SELECT seq, access_version, needed_version, ${SERVER_NOW} AS now, (SELECT ${AS_JSON} FROM known) AS hubs,
    (SELECT min(heartbeats_until) FROM known WHERE hub_id <> ?1 AND ${IS_ALIVE}) AS others_until
  FROM hub`;
const LEAD = 'SELECT pg_try_advisory_lock(-2) AS is_leader';
/** Ends the session that holds the lock if its hub does not announce itself. The key is stored as two halves. */
const END_LOST_LEADER = `SELECT pg_terminate_backend(pid) FROM pg_locks
  WHERE locktype = 'advisory' AND (classid, objid, objsubid) = (4294967295, 4294967294, 1) AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND pid IN (SELECT session FROM hubs WHERE NOT ${IS_ALIVE})
    AND pid NOT IN (SELECT session FROM hubs WHERE ${IS_ALIVE})`;
