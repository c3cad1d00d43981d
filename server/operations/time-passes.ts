// What time does to sessions and tasks: silence makes offline, a ttl runs out. Due is true for every reader at once,
// so reads bring the records up to date before they look; the sweeps only do the same without being asked.
import type { Millis } from '../domain/clock.ts';
import { sessionSummary, type Presence, type Sign } from '../domain/session.ts';
import { presenceAt, type Hub } from '../hub.ts';
import type { Reader, Transaction } from '../store/database.ts';
import * as sessions from '../store/sessions.ts';
import * as tasks from '../store/tasks.ts';
import { expireTask } from './tasks/move-task.ts';

const TASKS_AT_ONCE = 250; // a commit of this size stays under 50 ms

/** Reads what is true now: records that time has overtaken are written down first. */
export async function readCurrent<T>(hub: Hub, read: (reader: Reader) => Promise<T>): Promise<T> {
  const seen = await hub.store.read(async (reader) => ((await isBehind(hub, reader)) ? undefined : { value: await read(reader) }));
  if (seen !== undefined) return seen.value;
  await catchUp(hub);
  return hub.store.read(read);
}

async function isBehind(hub: Hub, reader: Reader): Promise<boolean> {
  const presence = presenceAt(hub, reader.now);
  return (await sessions.isAnySilent(reader, presence)) || (await tasks.isAnyOverdue(reader, presence, reader.now));
}

async function catchUp(hub: Hub): Promise<void> {
  await markSilentSessions(hub);
  await expireOverdueTasks(hub);
}

/** Writes down who fell silent; answers how many. */
export function markSilentSessions(hub: Hub): Promise<number> {
  return hub.store.write(async (tx) => {
    await writeSigns(hub, tx);
    const presence = presenceAt(hub, tx.now);
    const silent = await sessions.markSilent(tx, presence);
    for (const session of silent) publishSession(tx, session, presence);
    return silent.length;
  });
}

/** Writes down the signs of life gathered so far, so that nobody who gave one is called offline. */
export async function writeSigns(hub: Hub, tx: Transaction): Promise<number> {
  const signs = hub.signs.take(tx.now);
  await markSeen(hub, tx, signs);
  return signs.length;
}

/** Writes signs of life; a session that had fallen silent is back with the status it last reported. */
export async function markSeen(hub: Hub, tx: Transaction, signs: readonly Sign[]): Promise<void> {
  const returned = await sessions.markSeen(tx, signs);
  for (const session of returned) publishSession(tx, session, presenceAt(hub, tx.now));
}

export function publishSession(tx: Transaction, session: sessions.SessionWithInbox, presence: Presence): void {
  const data = { type: 'session', ...sessionSummary(session, presence), inbox_count: session.pending } as const;
  tx.publish({ network_id: session.network_id, alias: null, data });
}

/** Writes down which tasks time has ended, a few hundred to a commit; answers how many. */
export async function expireOverdueTasks(hub: Hub): Promise<number> {
  let expired = 0;
  for (;;) {
    const count = await hub.store.write((tx) => expireSome(hub, tx));
    expired += count;
    if (count < TASKS_AT_ONCE) return expired;
  }
}

async function expireSome(hub: Hub, tx: Transaction): Promise<number> {
  await writeSigns(hub, tx);
  const overdue = await tasks.listOverdue(tx, presenceAt(hub, tx.now), tx.now, TASKS_AT_ONCE);
  for (const task of overdue) await expireTask(tx, task);
  return overdue.length;
}

/** The last sign of life of a session, written or not. */
export function lastSeen(hub: Hub, session: { network_id: string; alias: string; last_seen_at: Millis }, now: Millis): Millis {
  return Math.max(session.last_seen_at, hub.signs.latest(session.network_id, session.alias, now) ?? 0);
}
