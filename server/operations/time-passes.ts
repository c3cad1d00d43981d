// What time does to sessions and tasks: silence makes offline, a ttl runs out. Due is true for everybody at once, so this
// is written down before any other write, and before any read that shows it; the sweeps only see to it that it happens
// when nobody asks. Where much is due at one moment it is written in portions, a commit to each, and what else is asked of the
// hub comes in between. On a full disk nothing is written down, and reads show what was.
import type { Millis } from '../domain/clock.ts';
import { RESTART_GRACE_MS } from '../domain/limits.ts';
import { sessionSummary, type Presence, type Sign } from '../domain/session.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Hub } from '../hub.ts';
import type { Reader, Transaction } from '../store/database.ts';
import * as sessions from '../store/sessions.ts';
import * as tasks from '../store/tasks.ts';
import { noted } from './notes.ts';
import { expireTasks } from './tasks/move-task.ts';

const AT_ONCE = 250; // some 10 ms

/** What of a hub this needs, so that it can be wired while the hub is made. */
export type Timed = Pick<Hub, 'settings' | 'startedAt' | 'signs'>;

/** Reads what is true now: records that time has overtaken are written down first. */
export async function readCurrent<T>(hub: Hub, read: (reader: Reader) => Promise<T>): Promise<T> {
  const seen = await hub.store.read(async (reader) => ((await isBehind(hub, reader)) ? undefined : { value: await read(reader) }));
  if (seen !== undefined) return seen.value;
  await noted(catchUp(hub));
  return hub.store.read(read);
}

/** Brings the records up to date: any write does, so one that writes nothing else is enough. */
export function catchUp(hub: Hub): Promise<void> {
  return hub.store.write(async () => {});
}

/** To how many sessions and tasks time has done something, and whether that was all. */
export type Passed = { sessions: number; tasks: number; isAll: boolean };

/** Writes down a portion of what time has done since the last write. Who is offline decides over running tasks, so sessions come first. */
export async function passTime(timed: Timed, tx: Transaction): Promise<Passed> {
  if (!(await isBehind(timed, tx))) return { sessions: 0, tasks: 0, isAll: true };
  await writeSigns(timed, tx);
  const sessions = await markSilentSessions(timed, tx);
  if (sessions === AT_ONCE) return { sessions, tasks: 0, isAll: false };
  const tasks = await expireOverdueTasks(tx);
  return { sessions, tasks, isAll: tasks < AT_ONCE };
}

async function isBehind(timed: Timed, reader: Reader): Promise<boolean> {
  return (await sessions.isAnySilent(reader, presenceAt(timed, reader.now))) || (await tasks.isAnyOverdue(reader));
}

/** The rule behind "offline" at this moment. */
function presenceAt({ settings, startedAt }: Timed, now: Millis): Presence {
  return {
    cutoff: now - settings.offline_after_seconds * SECOND_MS,
    sparedBefore: now < startedAt + RESTART_GRACE_MS ? startedAt : 0,
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

async function markSilentSessions(timed: Timed, tx: Transaction): Promise<number> {
  const silent = await sessions.markSilent(tx, presenceAt(timed, tx.now), AT_ONCE);
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

async function expireOverdueTasks(tx: Transaction): Promise<number> {
  const overdue = await tasks.listOverdue(tx, AT_ONCE);
  if (overdue.length > 0) await expireTasks(tx, overdue);
  return overdue.length;
}
