// Stores sessions: one per network and alias, and one per network and resume_id.
import { LISTED_TEXT } from '../domain/limits.ts';
import {
  type Heartbeat,
  type ListedColumn,
  type Presence,
  SESSION_ATTRIBUTES,
  type Session,
  type SessionStatus,
} from '../domain/session.ts';
import type { Millis } from '../domain/time/clock.ts';
import { networkIdOf } from './engine/network-seqs.ts';
import { placeholders } from './engine/placeholders.ts';
import type { Reader, SqlValue, Transaction } from './engine/transaction.ts';
import type { Page, Slice, SlicePage } from './lists/newest.ts';

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
] as const satisfies readonly (keyof Session)[];

const SELECTED = `${networkIdOf('s')}, ${COLUMNS.map((column) => `s.${column}`).join(', ')}`;
const PENDING =
  'coalesce((SELECT i.pending FROM inboxes i WHERE i.network_seq = s.network_seq AND i.alias = s.alias), 0) AS pending';

export type SessionWithInbox = Session & { pending: number };

export function findByAlias(reader: Reader, networkId: string, alias: string): Promise<SessionWithInbox | undefined> {
  return reader.first(
    `SELECT ${SELECTED}, ${PENDING} FROM sessions s WHERE s.network_seq = ? AND s.alias = ?`,
    [reader.networkSeq(networkId), alias],
    'inboxes',
  );
}

export type PresenceOfAlias = Pick<Session, 'status' | 'marked_offline' | 'last_seen_at'>;

/** Returns only what a sender needs to know about a recipient, since every send reads it. */
export function findPresence(reader: Reader, networkId: string, alias: string): Promise<PresenceOfAlias | undefined> {
  return reader.first(
    `SELECT s.status, s.marked_offline, s.last_seen_at FROM sessions s WHERE s.network_seq = ? AND s.alias = ?`,
    [reader.networkSeq(networkId), alias],
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

/** Contains no network, which the page provides. `status` is the current status. */
export type SessionFilter = { status?: SessionStatus | undefined; server?: string | undefined };

/** The position of a session, ordered by alias, then by network if several have the alias. */
export type AliasPosition = { alias: string; network_id: string };

export type ListedRow = Pick<Session, ListedColumn> & { pending: number };

// One character more than a list shows, to detect truncation.
const TRUNCATED = ['agent', 'model', 'task', 'server', 'hostname'].map(
  (column) => `substr(s.${column}, 1, ${LISTED_TEXT + 1}) AS ${column}`,
);
const LISTED = `${networkIdOf('s')}, s.resume_id, s.alias, s.status, s.marked_offline, s.progress, s.last_seen_at, ${TRUNCATED.join(', ')}`;

/** Lists sessions by alias with truncated texts. Reads each network only as far as the page can reach. */
export async function list(
  reader: Reader,
  filter: SessionFilter,
  { networks, beyond, limit }: Page<AliasPosition>,
  end?: AliasPosition,
): Promise<ListedRow[]> {
  let found: ListedRow[] = [];
  for (const network of networks) {
    const last = found.length === limit ? found.at(-1)?.alias : end?.alias;
    const more = await listOf(reader, network, filter, { beyond, last, limit });
    found = found.length === 0 ? more : [...found, ...more].sort(byAlias).slice(0, limit);
  }
  return found;
}

/** Status and server together have no index. */
export function hasIndex({ status, server }: SessionFilter): boolean {
  return status === undefined || server === undefined;
}

/** The same list for a filter without an index: scans at most `rows` sessions of the server in each network. */
export async function listSlice(
  reader: Reader,
  filter: SessionFilter,
  page: SlicePage<AliasPosition>,
): Promise<Slice<ListedRow, AliasPosition>> {
  const end = await endOfSlice(reader, filter, page);
  return { found: await list(reader, filter, page, end), end };
}

/** The nearest end of all networks, behind every session with this alias. */
async function endOfSlice(
  reader: Reader,
  { server }: SessionFilter,
  { networks, beyond, rows }: SlicePage<AliasPosition>,
): Promise<AliasPosition | undefined> {
  const ends: AliasPosition[] = [];
  for (const network of networks) {
    const { where, values } = conditionsIn(reader, network, { server }, { beyond });
    const end = await reader.first<{ alias: string }>(
      `SELECT s.alias FROM sessions s WHERE ${where} ORDER BY s.alias LIMIT 1 OFFSET ?`,
      [...values, rows - 1],
    );
    if (end !== undefined) ends.push({ alias: end.alias, network_id: network });
  }
  const [nearest] = ends.sort(byAlias);
  return nearest && { alias: nearest.alias, network_id: networks.toSorted().at(-1) ?? nearest.network_id };
}

type Stretch = { beyond: AliasPosition | undefined; last?: string | undefined };

function listOf(
  reader: Reader,
  network: string,
  filter: SessionFilter,
  { limit, ...stretch }: Stretch & { limit: number },
): Promise<ListedRow[]> {
  const { where, values } = conditionsIn(reader, network, filter, stretch);
  return reader.all(
    `SELECT ${LISTED}, ${PENDING} FROM sessions s WHERE ${where} ORDER BY s.alias LIMIT ?`,
    [...values, limit],
    'inboxes',
  );
}

function conditionsIn(
  reader: Reader,
  network: string,
  { status, server }: SessionFilter,
  { beyond, last }: Stretch,
): { where: string; values: SqlValue[] } {
  // The alias of `beyond` itself may still follow in this network.
  const isLater = beyond !== undefined && network > beyond.network_id;
  const given = [
    ['s.network_seq = ?', reader.networkSeq(network)],
    // The plus keeps this off the index by status: a slice is measured in the index by server.
    [`${server === undefined ? '' : '+'}(${PRESENT_STATUS}) = ?`, status],
    ['s.server = ?', server],
    [`s.alias ${isLater ? '>=' : '>'} ?`, beyond?.alias],
    ['s.alias <= ?', last],
  ].filter((condition): condition is [string, SqlValue] => condition[1] !== undefined);
  return { where: given.map(([condition]) => condition).join(' AND '), values: given.map(([, value]) => value) };
}

function byAlias(one: AliasPosition, other: AliasPosition): number {
  return compareAsStored(one.alias, other.alias) || compareAsStored(one.network_id, other.network_id);
}

// SQLite compares UTF-8 bytes, which is code point order. In UTF-16, surrogates of characters above U+FFFF sort before
// U+E000 to U+FFFF.
function compareAsStored(one: string, other: string): number {
  for (let index = 0; index < one.length && index < other.length; index++) {
    const [unit, otherUnit] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (unit !== otherUnit) return rank(unit) - rank(otherUnit);
  }
  return one.length - other.length;
}

function rank(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/** Lists aliases in order, starting from this one. Reads only the index. */
export async function listAliases(reader: Reader, networkId: string, from: string, limit: number): Promise<string[]> {
  const found = await reader.all<{ alias: string }>(
    'SELECT s.alias FROM sessions s WHERE s.network_seq = ? AND s.alias >= ? ORDER BY s.alias LIMIT ?',
    [reader.networkSeq(networkId), from, limit],
  );
  return found.map(({ alias }) => alias);
}

// presentStatus of domain/session.ts in SQL, exactly as in the index sessions_by_status.
export const PRESENT_STATUS = "CASE WHEN s.marked_offline = 1 THEN 'offline' ELSE s.status END";
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
    .sort((one, other) => compareAsStored(one.status, other.status));
}

function countOf(reader: Reader, networkId: string): Promise<StatusCount[]> {
  return reader.all(
    `SELECT ${PRESENT_STATUS} AS status, count(*) AS count FROM sessions s WHERE s.network_seq = ? GROUP BY 1 ORDER BY 1`,
    [reader.networkSeq(networkId)],
  );
}

export async function countOnline(reader: Reader, networkId: string): Promise<number> {
  const counts = await countByStatus(reader, [networkId]);
  return counts.reduce((total, { status, count }) => total + (status === 'offline' ? 0 : count), 0);
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

const HEARTBEATS_AT_ONCE = 500;

/** Stores heartbeats. Returns the sessions that are online again. */
export async function markSeen(tx: Transaction, heartbeats: readonly Heartbeat[]): Promise<SessionWithInbox[]> {
  const returned: SessionWithInbox[] = [];
  for (let start = 0; start < heartbeats.length; start += HEARTBEATS_AT_ONCE) {
    returned.push(...(await markSomeSeen(tx, heartbeats.slice(start, start + HEARTBEATS_AT_ONCE))));
  }
  return returned;
}

async function markSomeSeen(tx: Transaction, heartbeats: readonly Heartbeat[]): Promise<SessionWithInbox[]> {
  const rows = heartbeats.map(() => '(?, ?, ?)').join(', ');
  const args = heartbeats.flatMap(({ network_id, alias, at }) => [tx.networkSeq(network_id), alias, at]);
  const seen = `WITH seen (network_seq, alias, at) AS (VALUES ${rows})`;
  const silent = await tx.all<SessionWithInbox & { at: Millis }>(
    `${seen} SELECT ${SELECTED}, ${PENDING}, seen.at FROM seen CROSS JOIN sessions s
     ON s.network_seq = seen.network_seq AND s.alias = seen.alias WHERE s.marked_offline = 1 AND s.last_seen_at < seen.at`,
    args,
    'inboxes',
  );
  await tx.run(
    `${seen} UPDATE sessions SET last_seen_at = seen.at, marked_offline = 0 FROM seen
     WHERE sessions.network_seq = seen.network_seq AND sessions.alias = seen.alias AND sessions.last_seen_at < seen.at`,
    args,
  );
  return silent.map(({ at, ...session }) => ({ ...session, last_seen_at: at, marked_offline: 0 }));
}

export async function isAnySilent(reader: Reader, networkId: string, presence: Presence): Promise<boolean> {
  const silent = await reader.first(`SELECT 1 FROM sessions s WHERE ${SILENT} LIMIT 1`, [
    reader.networkSeq(networkId),
    presence.cutoff,
    presence.sparedBefore,
  ]);
  return silent !== undefined;
}

/** Marks at most `limit` silent sessions of a network offline. Returns those sessions. */
export async function markSilent(
  tx: Transaction,
  networkId: string,
  presence: Presence,
  limit: number,
): Promise<SessionWithInbox[]> {
  const args = [tx.networkSeq(networkId), presence.cutoff, presence.sparedBefore, limit];
  const first = `FROM sessions s WHERE ${SILENT} ORDER BY s.last_seen_at, s.session_seq LIMIT ?`;
  const silent = await tx.all<SessionWithInbox>(`SELECT ${SELECTED}, ${PENDING} ${first}`, args, 'inboxes');
  if (silent.length === 0) return [];
  await tx.run(`UPDATE sessions SET marked_offline = 1 WHERE session_seq IN (SELECT s.session_seq ${first})`, args);
  return silent.map((session) => ({ ...session, marked_offline: 1 }));
}
