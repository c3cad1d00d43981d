// Sessions: one per (network, alias) and one per (network, resume_id).
import type { Millis } from '../domain/clock.ts';
import type { Presence, Session, Sign } from '../domain/session.ts';
import type { Reader, SqlValue, Transaction } from './database.ts';
import { placeholders } from './placeholders.ts';

const COLUMNS = [
  'network_id', 'resume_id', 'alias', 'status', 'marked_offline', 'agent', 'model', 'task', 'progress', 'score', 'output',
  'channels', 'server', 'hostname', 'project_dir', 'version', 'tmux_name', 'node_id', 'session_id', 'config_path',
  'node_name', 'last_seen_at',
] as const satisfies readonly (keyof Session)[];

const SELECTED = COLUMNS.map((column) => `s.${column}`).join(', ');
const PENDING = 'coalesce((SELECT i.pending FROM inboxes i WHERE i.network_id = s.network_id AND i.alias = s.alias), 0) AS pending';

export type SessionWithInbox = Session & { pending: number };

export function findByAlias(reader: Reader, networkId: string, alias: string): Promise<SessionWithInbox | undefined> {
  return reader.first(`SELECT ${SELECTED}, ${PENDING} FROM sessions s WHERE s.network_id = ? AND s.alias = ?`, [networkId, alias]);
}

export type PresenceOfAddressee = Pick<Session, 'status' | 'marked_offline' | 'last_seen_at'>;

/** What a sender needs to know of an addressee, and no more: every send asks. */
export function findPresence(reader: Reader, networkId: string, alias: string): Promise<PresenceOfAddressee | undefined> {
  return reader.first(
    `SELECT s.status, s.marked_offline, s.last_seen_at FROM sessions s WHERE s.network_id = ? AND s.alias = ?`,
    [networkId, alias],
  );
}

/** The sessions that a report of this resume_id under this alias concerns: at most two. */
export function findByEither(reader: Reader, networkId: string, resumeId: string, alias: string): Promise<Session[]> {
  return reader.all(
    `SELECT ${SELECTED} FROM sessions s WHERE s.network_id = ?1 AND s.resume_id = ?2
     UNION SELECT ${SELECTED} FROM sessions s WHERE s.network_id = ?1 AND s.alias = ?3`,
    [networkId, resumeId, alias],
  );
}

export type SessionFilter = { networks: readonly string[]; status?: string | undefined; server?: string | undefined };

/** Sessions in the order of their aliases. `status` filters by the present status. */
export function list(reader: Reader, filter: SessionFilter): Promise<SessionWithInbox[]> {
  const where = [`s.network_id IN (${placeholders(filter.networks)})`];
  const args: SqlValue[] = [...filter.networks];
  if (filter.server !== undefined) {
    where.push('s.server = ?');
    args.push(filter.server);
  }
  if (filter.status !== undefined) {
    where.push(`${PRESENT_STATUS} = ?`);
    args.push(filter.status);
  }
  return reader.all(`SELECT ${SELECTED}, ${PENDING} FROM sessions s WHERE ${where.join(' AND ')} ORDER BY s.alias, s.network_id`, args);
}

// domain/session.ts presentStatus, in SQL.
const PRESENT_STATUS = "CASE WHEN s.marked_offline = 1 THEN 'offline' ELSE s.status END";
const SILENT = "s.marked_offline = 0 AND s.status <> 'offline' AND s.last_seen_at < ? AND s.last_seen_at >= ?";

export function countByStatus(reader: Reader, networks: readonly string[]): Promise<{ status: string; count: number }[]> {
  return reader.all(
    `SELECT ${PRESENT_STATUS} AS status, count(*) AS count FROM sessions s
     WHERE s.network_id IN (${placeholders(networks)}) GROUP BY 1 ORDER BY 1`,
    networks,
  );
}

export async function countOnline(reader: Reader, networkId: string): Promise<number> {
  const counts = await countByStatus(reader, [networkId]);
  return counts.reduce((total, { status, count }) => total + (status === 'offline' ? 0 : count), 0);
}

export async function insert(tx: Transaction, session: Session): Promise<void> {
  await tx.run(
    `INSERT INTO sessions (${COLUMNS.join(', ')}) VALUES (${placeholders(COLUMNS)})`,
    COLUMNS.map((column) => session[column]),
  );
}

/** Writes the whole record over the one with the same resume_id. */
export async function update(tx: Transaction, session: Session): Promise<void> {
  await tx.run(
    `UPDATE sessions SET ${COLUMNS.map((column) => `${column} = ?`).join(', ')} WHERE network_id = ? AND resume_id = ?`,
    [...COLUMNS.map((column) => session[column]), session.network_id, session.resume_id],
  );
}

export async function remove(tx: Transaction, session: Pick<Session, 'network_id' | 'resume_id'>): Promise<void> {
  await tx.run('DELETE FROM sessions WHERE network_id = ? AND resume_id = ?', [session.network_id, session.resume_id]);
}

const SIGNS_AT_ONCE = 500;

/** Writes down signs of life; answers the sessions they brought back from silence. */
export async function markSeen(tx: Transaction, signs: readonly Sign[]): Promise<SessionWithInbox[]> {
  const returned: SessionWithInbox[] = [];
  for (let start = 0; start < signs.length; start += SIGNS_AT_ONCE) {
    returned.push(...(await markSomeSeen(tx, signs.slice(start, start + SIGNS_AT_ONCE))));
  }
  return returned;
}

async function markSomeSeen(tx: Transaction, signs: readonly Sign[]): Promise<SessionWithInbox[]> {
  const rows = signs.map(() => '(?, ?, ?)').join(', ');
  const args = signs.flatMap(({ network_id, alias, at }) => [network_id, alias, at]);
  const seen = `WITH seen (network_id, alias, at) AS (VALUES ${rows})`;
  const silent = await tx.all<SessionWithInbox & { at: Millis }>(
    `${seen} SELECT ${SELECTED}, ${PENDING}, seen.at FROM seen CROSS JOIN sessions s
     ON s.network_id = seen.network_id AND s.alias = seen.alias WHERE s.marked_offline = 1 AND s.last_seen_at < seen.at`,
    args,
  );
  await tx.run(
    `${seen} UPDATE sessions SET last_seen_at = seen.at, marked_offline = 0 FROM seen
     WHERE sessions.network_id = seen.network_id AND sessions.alias = seen.alias AND sessions.last_seen_at < seen.at`,
    args,
  );
  return silent.map(({ at, ...session }) => ({ ...session, last_seen_at: at, marked_offline: 0 }));
}

export async function isAnySilent(reader: Reader, presence: Presence): Promise<boolean> {
  const silent = await reader.first(`SELECT 1 FROM sessions s WHERE ${SILENT} LIMIT 1`, [presence.cutoff, presence.sparedBefore]);
  return silent !== undefined;
}

/** Writes down who fell silent, at most `limit` of them, and answers those sessions. */
export async function markSilent(tx: Transaction, presence: Presence, limit: number): Promise<SessionWithInbox[]> {
  const args = [presence.cutoff, presence.sparedBefore, limit];
  const first = `FROM sessions s WHERE ${SILENT} ORDER BY s.last_seen_at, s.session_seq LIMIT ?`;
  const silent = await tx.all<SessionWithInbox>(`SELECT ${SELECTED}, ${PENDING} ${first}`, args);
  if (silent.length === 0) return [];
  await tx.run(`UPDATE sessions SET marked_offline = 1 WHERE session_seq IN (SELECT s.session_seq ${first})`, args);
  return silent.map((session) => ({ ...session, marked_offline: 1 }));
}

/** Whom a broadcast reaches: every online agent of the network but the sender. */
export function listOnlineAliases(reader: Reader, networkId: string, sender: string): Promise<{ alias: string }[]> {
  return reader.all(
    `SELECT s.alias FROM sessions s WHERE s.network_id = ? AND ${PRESENT_STATUS} <> 'offline' AND s.alias <> ? AND s.resume_id <> ?
     ORDER BY s.alias`,
    [networkId, sender, sender],
  );
}
