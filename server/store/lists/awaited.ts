// The latest messages for which an agent waits, in an inbox that may hold thousands of urgent tasks.
import type { Reader } from '../engine/transaction.ts';
import { PENDING, type PendingMessage, SELECTED, SOURCE } from '../messages.ts';

/** Of the latest messages with priority high, so many are searched. */
const SEARCHED = 500;

const HIGH = `m.network_seq = ?1 AND m.alias = ?2 AND ${PENDING} AND m.urgency = 0`;

/** Lists the latest pending messages of an alias with priority high that are no tasks, latest first. */
export function listLatestAwaited(
  reader: Reader,
  networkId: string,
  alias: string,
  limit: number,
): Promise<PendingMessage[]> {
  return reader.all(
    `SELECT ${SELECTED}, m.fetched_at FROM ${SOURCE} WHERE ${HIGH} AND m.type <> 'task' AND m.message_seq >=
       coalesce((SELECT m.message_seq FROM messages m WHERE ${HIGH} ORDER BY m.message_seq DESC LIMIT 1 OFFSET ${SEARCHED - 1}), 0)
     ORDER BY m.message_seq DESC LIMIT ?3`,
    [reader.networkSeq(networkId), alias, limit],
  );
}
