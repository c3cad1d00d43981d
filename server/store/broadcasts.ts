// Stores broadcasts: the text, once for all recipients, and the progress of the delivery. Also lists the recipients.
import type { Reader, Transaction } from './engine/transaction.ts';
import { compareAsStored } from './lists/sessions-by-alias.ts';
import { IS_ONLINE, ONLINE_STATUSES, PRESENT_STATUS } from './sessions.ts';

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
export type Audience = { networkId: string; sender: string; maxPending: number };

const AUDIENCE = `FROM sessions s WHERE s.network_seq = ?1 AND s.alias <> ?2 AND s.resume_id <> ?2
  AND NOT EXISTS (SELECT 1 FROM inboxes i WHERE i.network_seq = s.network_seq AND i.alias = s.alias AND i.pending >= ?3)`;

/**
 * Lists at most `limit` aliases of an audience that come after `after`. Reads each status in its index: a network may
 * have tens of thousands of agents that are offline.
 */
export async function listAudience(
  reader: Reader,
  { networkId, sender, maxPending }: Audience,
  after: string,
  limit: number,
): Promise<string[]> {
  const found: { alias: string }[] = [];
  for (const status of ONLINE_STATUSES)
    found.push(
      ...(await reader.all<{ alias: string }>(
        `SELECT s.alias ${AUDIENCE} AND ${PRESENT_STATUS} = ?4 AND s.alias > ?5 ORDER BY s.alias LIMIT ?6`,
        [reader.networkSeq(networkId), sender, maxPending, status, after, limit],
        'inboxes',
      )),
    );
  const aliases = found.map(({ alias }) => alias);
  return aliases.sort(compareAsStored).slice(0, limit);
}

export async function countAudience(reader: Reader, { networkId, sender, maxPending }: Audience): Promise<number> {
  const found = await reader.first<{ count: number }>(
    `SELECT count(*) AS count ${AUDIENCE} AND ${IS_ONLINE}`,
    [reader.networkSeq(networkId), sender, maxPending],
    'inboxes',
  );
  return found?.count ?? 0;
}
