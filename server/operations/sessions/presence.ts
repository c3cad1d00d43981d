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
export function presenceAt({ settings, awake, heartbeats }: PresenceContext, now: Millis): Presence {
  return {
    cutoff: Math.min(now, heartbeats.othersStoredUntil()) - settings.offline_after_seconds * SECOND_MS,
    sparedBefore: now < awake.since + RESTART_GRACE_MS ? awake.since : 0,
  };
}

/** Writes heartbeats. A session that was offline is online again, with the status it last reported. */
export async function recordHeartbeats(tx: Transaction, heartbeats: readonly Heartbeat[]): Promise<void> {
  for (const session of await sessions.markSeen(tx, heartbeats)) publishSession(tx, session);
}

/** The session with its last heartbeat, which may not be stored yet. */
export function withHeartbeat<Seen extends SeenSession>(
  { heartbeats }: Pick<PresenceContext, 'heartbeats'>,
  session: Seen,
  now: Millis,
): Seen {
  const at = heartbeats.latest(session.network_id, session.alias, now) ?? 0;
  return at > session.last_seen_at ? { ...session, last_seen_at: at } : session;
}

type SeenSession = Pick<sessions.SessionWithInbox, 'network_id' | 'alias' | 'last_seen_at'>;

/**
 * Marks silent sessions of the network offline, unless a heartbeat that is not stored yet shows them online. Handles at
 * most `limit` sessions. Returns their number, and how many of them are offline now.
 */
export async function takeOffline(
  context: PresenceContext,
  tx: Transaction,
  networkId: string,
  limit: number,
): Promise<{ handled: number; offline: number }> {
  const presence = presenceAt(context, tx.now);
  const offlineAfterMs = context.settings.offline_after_seconds * SECOND_MS;
  const silent = await sessions.listSilent(tx, networkId, presence, limit);
  const seen = silent.flatMap(({ alias, last_seen_at }) => {
    const at = context.heartbeats.latest(networkId, alias, tx.now) ?? 0;
    return at > last_seen_at ? [{ network_id: networkId, alias, at }] : [];
  });
  if (seen.length > 0) await recordHeartbeats(tx, seen);
  const latest = new Map(seen.map(({ alias, at }) => [alias, at]));
  const offline = silent
    .map((session) => ({ ...session, last_seen_at: latest.get(session.alias) ?? session.last_seen_at }))
    .filter(({ last_seen_at }) => last_seen_at < presence.cutoff);
  if (offline.length > 0)
    await sessions.markOffline(
      tx,
      networkId,
      offline.map(({ alias }) => alias),
      offlineAfterMs,
    );
  for (const session of offline)
    publishSession(tx, { ...session, marked_offline: 1, status_since: session.last_seen_at + offlineAfterMs });
  return { handled: silent.length, offline: offline.length };
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
