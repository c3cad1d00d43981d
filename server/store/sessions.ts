// Stores sessions: one per network and alias, and one per network and resume_id.
import { usernameKey } from '../domain/accounts/user.ts';
import {
  type Heartbeat,
  type Presence,
  SESSION_ATTRIBUTES,
  SESSION_STATUSES,
  type Session,
} from '../domain/session.ts';
import type { Millis } from '../domain/time/clock.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

const COLUMNS = [
  'resume_id',
  'alias',
  'status',
  'marked_offline',
  'agent',
  'model',
  'task',
  'progress',
  'score',
  'output',
  'channels',
  ...SESSION_ATTRIBUTES,
  'last_seen_at',
  'last_progress_at',
  'status_since',
  'last_output',
  'last_status',
] as const satisfies readonly (keyof Session)[];

const SELECTED = `${networkIdOf('s')}, ${COLUMNS.map((column) => `s.${column}`).join(', ')}`;
/** The number of pending messages of a session `s`. The statement declares that it reads `inboxes`. */
export const PENDING =
  'coalesce((SELECT i.pending FROM inboxes i WHERE i.network_seq = s.network_seq AND i.alias = s.alias), 0) AS pending';

export type SessionWithInbox = Session & { pending: number };

export function findByAlias(reader: Reader, networkId: string, alias: string): Promise<SessionWithInbox | undefined> {
  return reader.first(
    `SELECT ${SELECTED}, ${PENDING} FROM sessions s WHERE s.network_seq = ? AND s.alias = ?`,
    [reader.networkSeq(networkId), alias],
    'inboxes',
  );
}

/** `username` is the one of a person, whose case may differ from that of the alias; null for an agent. */
export type PresenceOfAlias = Pick<Session, 'status' | 'marked_offline' | 'last_seen_at'> & { username: string | null };

/**
 * Returns only what a sender needs to know about a recipient, since every send reads it: the session of an agent, or
 * else the member of the network with this username, as if offline.
 */
export function findPresence(reader: Reader, networkId: string, alias: string): Promise<PresenceOfAlias | undefined> {
  return reader.first(
    `SELECT NULL AS username, s.status, s.marked_offline, s.last_seen_at FROM sessions s WHERE s.network_seq = ? AND s.alias = ?
     UNION ALL SELECT u.username, 'offline', 0, 0 FROM users u JOIN members m ON m.user_id = u.user_id AND m.network_id = ? WHERE u.username_key = ?
     LIMIT 1`,
    [reader.networkSeq(networkId), alias, networkId, usernameKey(alias)],
  );
}

/** Finds the sessions that a report with this resume_id and alias affects: at most two. */
export function findByEither(reader: Reader, networkId: string, resumeId: string, alias: string): Promise<Session[]> {
  return reader.all(
    `SELECT ${SELECTED} FROM sessions s WHERE s.network_seq = ?1 AND s.resume_id = ?2
     UNION SELECT ${SELECTED} FROM sessions s WHERE s.network_seq = ?1 AND s.alias = ?3`,
    [reader.networkSeq(networkId), resumeId, alias],
  );
}

// presentStatus of domain/session.ts in SQL, exactly as in the index sessions_by_status.
export const PRESENT_STATUS = "CASE WHEN s.marked_offline = 1 THEN 'offline' ELSE s.status END";
export const ONLINE_STATUSES = SESSION_STATUSES.filter((status) => status !== 'offline');
export const IS_ONLINE = `${PRESENT_STATUS} IN (${ONLINE_STATUSES.map((status) => `'${status}'`).join(', ')})`;
const SILENT =
  "s.network_seq = ? AND s.marked_offline = 0 AND s.status <> 'offline' AND s.last_seen_at < ? AND s.last_seen_at >= ?";

type StatusCount = { status: string; count: number };

/** Counts in the index of each network. One statement over several would read and sort their sessions. */
export async function countByStatus(reader: Reader, networks: readonly string[]): Promise<StatusCount[]> {
  const counts = new Map<string, number>();
  for (const network of networks) {
    for (const { status, count } of await countOf(reader, network))
      counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [...counts]
    .map(([status, count]) => ({ status, count }))
    .sort((one, other) => (one.status < other.status ? -1 : 1));
}

function countOf(reader: Reader, networkId: string): Promise<StatusCount[]> {
  return reader.all(
    `SELECT ${PRESENT_STATUS} AS status, count(*) AS count FROM sessions s WHERE s.network_seq = ? GROUP BY 1 ORDER BY 1`,
    [reader.networkSeq(networkId)],
  );
}

export async function countOnline(reader: Reader, networkId: string): Promise<number> {
  const counted = await reader.first<{ count: number }>(
    `SELECT count(*) AS count FROM sessions s WHERE s.network_seq = ? AND ${IS_ONLINE}`,
    [reader.networkSeq(networkId)],
  );
  return counted?.count ?? 0;
}

export async function insert(tx: Transaction, session: Session): Promise<void> {
  await tx.run(`INSERT INTO sessions (network_seq, ${COLUMNS.join(', ')}) VALUES (?, ${placeholders(COLUMNS)})`, [
    tx.networkSeq(session.network_id),
    ...COLUMNS.map((column) => session[column]),
  ]);
}

/** Replaces the record with the same resume_id. */
export async function update(tx: Transaction, session: Session): Promise<void> {
  await tx.run(
    `UPDATE sessions SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE network_seq = ? AND resume_id = ?`,
    [...COLUMNS.map((column) => session[column]), tx.networkSeq(session.network_id), session.resume_id],
  );
}

export async function remove(tx: Transaction, session: Pick<Session, 'network_id' | 'resume_id'>): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE network_seq = ? AND resume_id = ?', [
    tx.networkSeq(session.network_id),
    session.resume_id,
  ]);
}

/** Counts the sessions of a network. */
export async function count(reader: Reader, networkId: string): Promise<number> {
  const counted = await reader.first<{ sessions: number }>(
    'SELECT sessions FROM session_counts WHERE network_seq = ?',
    [reader.networkSeq(networkId)],
  );
  return counted?.sessions ?? 0;
}

/** Finds the session of a network that has been offline for longest. */
export function findLongestOffline(
  reader: Reader,
  networkId: string,
): Promise<Pick<Session, 'network_id' | 'resume_id'> | undefined> {
  return reader.first(
    `SELECT ${networkIdOf('s')}, s.resume_id FROM sessions s
     WHERE s.network_seq = ? AND (s.marked_offline = 1 OR s.status = 'offline') ORDER BY s.last_seen_at LIMIT 1`,
    [reader.networkSeq(networkId)],
  );
}

/** Stores heartbeats: a few, since one statement writes all. Returns the sessions that are online again. */
export async function markSeen(tx: Transaction, heartbeats: readonly Heartbeat[]): Promise<SessionWithInbox[]> {
  const rows = heartbeats.map(() => '(CAST(? AS bigint), ?, CAST(? AS bigint))').join(', ');
  const args = heartbeats.flatMap(({ network_id, alias, at }) => [tx.networkSeq(network_id), alias, at]);
  const seen = `WITH seen (network_seq, alias, at) AS (VALUES ${rows})`;
  const silent = await tx.all<SessionWithInbox & { at: Millis }>(
    `${seen} SELECT ${SELECTED}, ${PENDING}, seen.at FROM seen CROSS JOIN sessions s
     WHERE s.network_seq = seen.network_seq AND s.alias = seen.alias AND s.marked_offline = 1 AND s.last_seen_at < seen.at`,
    args,
    'inboxes',
  );
  await tx.run(
    `${seen} UPDATE sessions SET last_seen_at = seen.at, marked_offline = 0,
       status_since = CASE marked_offline WHEN 1 THEN seen.at ELSE status_since END FROM seen
     WHERE sessions.network_seq = seen.network_seq AND sessions.alias = seen.alias AND sessions.last_seen_at < seen.at`,
    args,
  );
  return silent.map(({ at, ...session }) => ({ ...session, last_seen_at: at, status_since: at, marked_offline: 0 }));
}

export async function isAnySilent(reader: Reader, networkId: string, presence: Presence): Promise<boolean> {
  const silent = await reader.first(`SELECT 1 FROM sessions s WHERE ${SILENT} LIMIT 1`, [
    reader.networkSeq(networkId),
    presence.cutoff,
    presence.sparedBefore,
  ]);
  return silent !== undefined;
}

/** Lists at most `limit` silent sessions of a network, those silent for longest first. */
export function listSilent(
  reader: Reader,
  networkId: string,
  presence: Presence,
  limit: number,
): Promise<SessionWithInbox[]> {
  return reader.all(
    `SELECT ${SELECTED}, ${PENDING} FROM sessions s WHERE ${SILENT} ORDER BY s.last_seen_at, s.session_seq LIMIT ?`,
    [reader.networkSeq(networkId), presence.cutoff, presence.sparedBefore, limit],
    'inboxes',
  );
}

/** Marks these sessions of a network offline, since `offlineAfterMs` after their last heartbeat. */
export async function markOffline(
  tx: Transaction,
  networkId: string,
  aliases: readonly string[],
  offlineAfterMs: number,
): Promise<void> {
  await tx.run(
    `UPDATE sessions SET marked_offline = 1, status_since = last_seen_at + ?
     WHERE network_seq = ? AND alias IN (${placeholders(aliases)})`,
    [offlineAfterMs, tx.networkSeq(networkId), ...aliases],
  );
}
