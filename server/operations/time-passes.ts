// What time does to sessions and tasks: silence makes offline, a ttl runs out. Due is true for everybody at once, so what is
// due in a network is written down before any other write to it, and before any read that shows it; the sweeps only see to it
// that it happens when nobody asks. Nobody waits for what is due in the networks of others. Where much is due at one moment it
// is written in portions, a commit to each. On a full disk nothing is written down, and reads show what was.
import { RESTART_GRACE_MS } from '../domain/limits.ts';
import { sessionSummary, type Presence, type Sign } from '../domain/session.ts';
import type { Millis } from '../domain/time/clock.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import type { Reader, Transaction } from '../store/engine/transaction.ts';
import * as networks from '../store/networks.ts';
import * as sessions from '../store/sessions.ts';
import * as tasks from '../store/tasks.ts';
import { noted } from './best-effort.ts';
import { expireTasks } from './tasks/move-task.ts';

const AT_ONCE = 250; // some 10 ms
const AT_LEAST = 10;
const NETWORKS_AT_ONCE = 500;

/** What of a hub this needs, so that it can be wired while the hub is made. */
export type Timed = Pick<Hub, 'settings' | 'awake' | 'signs' | 'passed'>;

/** Reads what is true now in the networks of the caller: records that time has overtaken are written down first. */
export async function readCurrent<T>(hub: Hub, read: (reader: Reader) => Promise<T>): Promise<T> {
  const { scope } = hub.store;
  if (scope === undefined) return noted(catchUp(hub)).then(() => hub.store.read(read));
  const seen = await hub.store.read(async (reader) => ((await isAnyBehind(hub, reader, scope.networks)) ? undefined : { value: await read(reader) }));
  if (seen !== undefined) return seen.value;
  await noted(hub.store.write(async () => {}));
  return hub.store.read(read);
}

/** Brings the records of every network up to date. */
export async function catchUp(hub: Hub): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last;
    const { behind, next } = await hub.store.read(async (reader) => {
      const page = await networks.listAfter(reader, after, NETWORKS_AT_ONCE);
      return { behind: await listBehind(hub, reader, page.map(({ network_id }) => network_id)), next: page.at(-1)?.seq };
    });
    // Any write brings the networks of its scope up to date, so one that writes nothing else is enough.
    await Promise.all(behind.map((network) => hub.store.write(async () => {}, { tenant: network, networks: [network] })));
    last = next;
  }
}

/**
 * Runs before each group of writes: marks silent sessions offline and expires tasks in the networks of these writes, in portions.
 * Returns the networks that are not finished; their writes wait for a later group.
 */
export async function passTime(timed: Timed, tx: Transaction, networkIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await listBehind(timed, tx, networkIds);
  const behind = new Set<string>();
  if (found.length === 0) return behind;
  await writeSigns(timed, tx);
  const share = Math.max(AT_LEAST, Math.floor(AT_ONCE / found.length));
  let done = 0;
  for (const networkId of found) {
    const portion = done < AT_ONCE ? await passTimeIn(timed, tx, networkId, share) : NOT_YET;
    timed.passed.sessions += portion.sessions;
    timed.passed.tasks += portion.tasks;
    done += portion.rows;
    if (!portion.isAll) behind.add(networkId);
  }
  return behind;
}

/** `rows` are all that were written, those of tasks that only were put aside too. */
type Portion = { sessions: number; tasks: number; rows: number; isAll: boolean };

const NOT_YET: Portion = { sessions: 0, tasks: 0, rows: 0, isAll: false };

/** Who is offline decides over running tasks, so sessions come first. */
async function passTimeIn(timed: Timed, tx: Transaction, networkId: string, limit: number): Promise<Portion> {
  const sessions = await markSilentSessions(timed, tx, networkId, limit);
  if (sessions === limit) return { sessions, tasks: 0, rows: sessions, isAll: false };
  const due = await tasks.listDue(tx, networkId, limit);
  const [attended, over] = [due.filter((task) => task.is_attended === 1), due.filter((task) => task.is_attended === 0)];
  if (attended.length > 0) await tasks.markOvertime(tx, attended.map(({ task_seq }) => task_seq));
  if (over.length > 0) await expireTasks(tx, over);
  return { sessions, tasks: over.length, rows: sessions + due.length, isAll: due.length < limit };
}

async function isAnyBehind(timed: Timed, reader: Reader, networkIds: readonly string[]): Promise<boolean> {
  for (const networkId of networkIds) if (await isBehind(timed, reader, networkId)) return true;
  return false;
}

async function listBehind(timed: Timed, reader: Reader, networkIds: readonly string[]): Promise<string[]> {
  const behind: string[] = [];
  for (const networkId of networkIds) if (await isBehind(timed, reader, networkId)) behind.push(networkId);
  return behind;
}

async function isBehind(timed: Timed, reader: Reader, networkId: string): Promise<boolean> {
  return (await sessions.isAnySilent(reader, networkId, presenceAt(timed, reader.now))) || (await tasks.isAnyDue(reader, networkId));
}

/** The rule behind "offline" at this moment. */
function presenceAt({ settings, awake }: Timed, now: Millis): Presence {
  return {
    cutoff: now - settings.offline_after_seconds * SECOND_MS,
    sparedBefore: now < awake.since + RESTART_GRACE_MS ? awake.since : 0,
  };
}

/** Writes down the signs of life gathered so far, so that nobody who gave one is called offline. */
export async function writeSigns(timed: Timed, tx: Transaction): Promise<number> {
  const signs = timed.signs.take(tx.now);
  tx.onRollback(() => timed.signs.giveBack(signs));
  await markSeen(tx, signs);
  return signs.length;
}

/** Writes signs of life; a session that had fallen silent is back with the status it last reported. */
export async function markSeen(tx: Transaction, signs: readonly Sign[]): Promise<void> {
  for (const session of await sessions.markSeen(tx, signs)) publishSession(tx, session);
}

async function markSilentSessions(timed: Timed, tx: Transaction, networkId: string, limit: number): Promise<number> {
  const silent = await sessions.markSilent(tx, networkId, presenceAt(timed, tx.now), limit);
  for (const session of silent) publishSession(tx, session);
  return silent.length;
}

/** `inbox` is given where its inbox changed by something else than an arrival. */
export function publishSession(tx: Transaction, session: sessions.SessionWithInbox, inbox?: string): void {
  const data = { type: 'session', ...sessionSummary(session), inbox_count: session.pending } as const;
  tx.publish({ network_id: session.network_id, alias: null, data, ...(inbox !== undefined && { inbox }) });
}

/** Tells the network's stream of a session whose inbox changed, if anybody reported under that alias. */
export async function publishSessionOf(tx: Transaction, networkId: string, alias: string): Promise<void> {
  const session = await sessions.findByAlias(tx, networkId, alias);
  if (session !== undefined) publishSession(tx, session);
}
