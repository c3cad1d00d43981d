// Stores broadcasts: the text, once for all recipients, and the progress of the delivery. Also lists the recipients.
import type { Reader, Transaction } from './engine/transaction.ts';
import { compareAsStored } from './lists/sessions-by-alias.ts';
import { ONLINE_STATUSES, PRESENT_STATUS } from './sessions.ts';

export type Broadcast = {
  broadcast_seq: number;
  network_id: string;
  content: string;
  from_session: string;
  /** The last alias reached, in alias order. */
  delivered_to: string;
};

type NewBroadcast = Pick<Broadcast, 'network_id' | 'content' | 'from_session'> & { delivered_to: string | null };

/** Returns the number that its messages refer to. */
export async function insert(
  tx: Transaction,
  { network_id, content, from_session, delivered_to }: NewBroadcast,
): Promise<number> {
  const [broadcastSeq = 0] = await tx.insert(
    'INSERT INTO broadcasts (network_seq, content, from_session, delivered_to) VALUES (?, ?, ?, ?)',
    [tx.networkSeq(network_id), content, from_session, delivered_to],
  );
  return broadcastSeq;
}

/** `alias` is null once all recipients are reached. */
export async function setReached(tx: Transaction, broadcastSeq: number, alias: string | null): Promise<void> {
  await tx.run('UPDATE broadcasts SET delivered_to = ? WHERE broadcast_seq = ?', [alias, broadcastSeq]);
}

const UNFINISHED = `SELECT b.broadcast_seq, n.network_id, b.content, b.from_session, b.delivered_to
  FROM broadcasts b JOIN networks n ON n.network_seq = b.network_seq AND n.removed_at IS NULL WHERE b.delivered_to IS NOT NULL`;

/** Returns undefined if all recipients are reached or the network was removed. */
export function findUnfinished(reader: Reader, broadcastSeq: number): Promise<Broadcast | undefined> {
  return reader.first(`${UNFINISHED} AND b.broadcast_seq = ?`, [broadcastSeq]);
}

/** Lists a page of unfinished broadcasts after a number, oldest first. */
export function listUnfinished(reader: Reader, after: number): Promise<Broadcast[]> {
  return reader.all(`${UNFINISHED} AND b.broadcast_seq > ? ORDER BY b.broadcast_seq LIMIT 100`, [after]);
}

/** All online agents of the network, except the sender and agents with `maxPending` or more pending messages. */
export type Audience = {
  networkId: string;
  /** The name of the sender, and the alias of the session that has it as its resume_id. */
  senders: readonly [string, string];
  maxPending: number;
};

export async function findSenders(reader: Reader, networkId: string, sender: string): Promise<Audience['senders']> {
  const found = await reader.first<{ alias: string }>(
    'SELECT s.alias FROM sessions s WHERE s.network_seq = ? AND s.resume_id = ?',
    [reader.networkSeq(networkId), sender],
  );
  return [sender, found?.alias ?? sender];
}

/** An online agent, and whether it belongs to the audience. */
export type Candidate = { alias: string; isAudience: boolean };

const ONLINE = `FROM sessions s WHERE s.network_seq = ?1 AND ${PRESENT_STATUS} = ?2 AND s.alias > ?3 ORDER BY s.alias LIMIT ?4`;
const hasRoom = (alias: string): string =>
  `NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.network_seq = ?1 AND i.alias = ${alias} AND i.pending >= ?5)`;

/**
 * Lists at most `limit` online agents that come after `after`. Reads each status in its index: a network may have tens
 * of thousands of agents that are offline, or whose inboxes are full.
 */
export async function listCandidates(
  reader: Reader,
  { networkId, senders, maxPending }: Audience,
  after: string,
  limit: number,
): Promise<Candidate[]> {
  const found = await Promise.all(
    ONLINE_STATUSES.map((status) =>
      reader.all<{ alias: string; has_room: number }>(
        `SELECT s.alias, CASE WHEN ${hasRoom('s.alias')} THEN 1 ELSE 0 END AS has_room ${ONLINE}`,
        [reader.networkSeq(networkId), status, after, limit, maxPending],
        'inboxes',
      ),
    ),
  );
  return found
    .flat()
    .sort((one, other) => compareAsStored(one.alias, other.alias))
    .slice(0, limit)
    .map(({ alias, has_room }) => ({ alias, isAudience: has_room === 1 && !senders.includes(alias) }));
}

/** How far the audience has been counted: its statuses one after the other, each in the order of the aliases. */
export type CountPlace = { status: number; after: string };

export const COUNT_START: CountPlace = { status: 0, after: '' };

/** Counts the audience among the next `rows` online agents. */
export async function countSlice(
  reader: Reader,
  { networkId, senders, maxPending }: Audience,
  { status, after }: CountPlace,
  rows: number,
): Promise<{ count: number; next: CountPlace | undefined }> {
  const found = await reader.first<{ agents: number; last: string | null; audience: number }>(
    `SELECT count(*) AS agents, max(alias) AS last,
       count(CASE WHEN alias <> ?6 AND alias <> ?7 AND ${hasRoom('first_agents.alias')} THEN 1 END) AS audience
     FROM (SELECT s.alias ${ONLINE}) first_agents`,
    [reader.networkSeq(networkId), ONLINE_STATUSES[status] ?? '', after, rows, maxPending, ...senders],
    'inboxes',
  );
  const { agents = 0, last = null, audience = 0 } = found ?? {};
  if (agents === rows && last !== null) return { count: audience, next: { status, after: last } };
  const isLast = status + 1 >= ONLINE_STATUSES.length;
  return { count: audience, next: isLast ? undefined : { status: status + 1, after: '' } };
}
