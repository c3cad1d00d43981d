// Lists the sessions of several networks by alias, and finds aliases by their beginning.
import { LISTED_TEXT } from '../../domain/limits.ts';
import type { ListedColumn, Session, SessionStatus } from '../../domain/session.ts';
import { networkIdOf } from '../engine/network-seqs.ts';
import type { Reader, SqlValue } from '../engine/transaction.ts';
import { PENDING, PRESENT_STATUS } from '../sessions.ts';
import type { Page, Slice, SlicePage } from './newest.ts';

/** Contains no network, which the page provides. `status` is the current status. */
export type SessionFilter = { status?: SessionStatus | undefined; server?: string | undefined };

/** The position of a session, ordered by alias, then by network if several have the alias. */
export type AliasPosition = { alias: string; network_id: string };

export type ListedRow = Pick<Session, ListedColumn> & { pending: number };

// One character more than a list shows, to detect truncation.
const TRUNCATED = ['agent', 'model', 'task', 'server', 'hostname'].map(
  (column) => `substr(s.${column}, 1, ${LISTED_TEXT + 1}) AS ${column}`,
);
const LISTED = `${networkIdOf('s')}, s.resume_id, s.alias, s.status, s.marked_offline, s.progress, s.last_seen_at, s.last_progress_at, s.status_since, s.last_output, s.last_status, ${TRUNCATED.join(', ')}`;

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
    // This form is not that of the index by status: a slice is measured in the index by server.
    [server === undefined ? `(${PRESENT_STATUS}) = ?` : `coalesce(${PRESENT_STATUS}, '') = ?`, status],
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
export function compareAsStored(one: string, other: string): number {
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
