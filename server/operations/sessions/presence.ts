// Presence: which sessions are online. Heartbeats are collected in memory and written in batches; a session without one
// for too long is offline.

import { RESTART_GRACE_MS } from '../../domain/limits.ts';
import { type Heartbeat, type Presence, sessionSummary } from '../../domain/session.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as sessions from '../../store/sessions.ts';

/** The part of the hub that decides who is online. It exists before the hub does. */
export type PresenceContext = Pick<Hub, 'settings' | 'awake' | 'heartbeats'>;

/** The rule that decides which sessions are offline now. */
export function presenceAt({ settings, awake }: PresenceContext, now: Millis): Presence {
  return {
    cutoff: now - settings.offline_after_seconds * SECOND_MS,
    sparedBefore: now < awake.since + RESTART_GRACE_MS ? awake.since : 0,
  };
}

/** Writes the heartbeats gathered so far, so that no session that sent one is marked offline. */
export async function writeHeartbeats({ heartbeats }: PresenceContext, tx: Transaction): Promise<number> {
  const taken = heartbeats.take(tx.now);
  tx.onRollback(() => heartbeats.giveBack(taken));
  await markSeen(tx, taken);
  return taken.length;
}

/** Writes heartbeats. A session that was offline is online again, with the status it last reported. */
export async function markSeen(tx: Transaction, heartbeats: readonly Heartbeat[]): Promise<void> {
  for (const session of await sessions.markSeen(tx, heartbeats)) publishSession(tx, session);
}

/** Marks at most `limit` silent sessions of the network offline. Returns their number. */
export async function markOffline(
  context: PresenceContext,
  tx: Transaction,
  networkId: string,
  limit: number,
): Promise<number> {
  const silent = await sessions.markSilent(tx, networkId, presenceAt(context, tx.now), limit);
  for (const session of silent) publishSession(tx, session);
  return silent.length;
}

/** Publishes the session. `inbox` is set if the inbox changed other than by an arrival. */
export function publishSession(tx: Transaction, session: sessions.SessionWithInbox, inbox?: string): void {
  const data = { type: 'session', ...sessionSummary(session), inbox_count: session.pending } as const;
  tx.publish({ network_id: session.network_id, alias: null, data, ...(inbox !== undefined && { inbox }) });
}

/** Publishes the session with this alias on the network's stream, if there is one. */
export async function publishSessionOf(tx: Transaction, networkId: string, alias: string): Promise<void> {
  const session = await sessions.findByAlias(tx, networkId, alias);
  if (session !== undefined) publishSession(tx, session);
}
