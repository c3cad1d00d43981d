// Stores up to which message each session of an agent was told about its mail.
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

/** The session, or any of the agent's if `sessionId` is undefined. */
export type ToldSession = { networkId: string; alias: string; sessionId: string | undefined };

/** The number of the latest message that the session was told about; 0 if there is none. */
export async function toldUpTo(reader: Reader, { networkId, alias, sessionId }: ToldSession): Promise<number> {
  const told = await reader.first<{ up_to: number | null }>(
    'SELECT max(message_seq) AS up_to FROM told_sessions WHERE network_seq = ? AND alias = ? AND session_id = coalesce(?, session_id)',
    [reader.networkSeq(networkId), alias, sessionId ?? null],
  );
  return told?.up_to ?? 0;
}

/** Stores the number, and keeps only the `kept` sessions of the agent that were told last. */
export async function store(
  tx: Transaction,
  { networkId, alias, sessionId }: ToldSession & { sessionId: string },
  upTo: number,
  kept: number,
): Promise<void> {
  const agent = [tx.networkSeq(networkId), alias];
  await tx.run(
    `INSERT INTO told_sessions (network_seq, alias, session_id, message_seq, told_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (network_seq, alias, session_id) DO UPDATE SET message_seq = excluded.message_seq, told_at = excluded.told_at`,
    [...agent, sessionId, upTo, tx.now],
  );
  const sessions = await tx.all<{ session_id: string; told_at: Millis }>(
    'SELECT session_id, told_at FROM told_sessions WHERE network_seq = ? AND alias = ?',
    agent,
  );
  for (const { session_id } of sessions.sort((one, other) => other.told_at - one.told_at).slice(kept))
    await tx.run('DELETE FROM told_sessions WHERE network_seq = ? AND alias = ? AND session_id = ?', [
      ...agent,
      session_id,
    ]);
}

/** Deletes at most `limit` sessions that were last told before `cutoff`. Returns their number. */
export async function removeBefore(tx: Transaction, cutoff: Millis, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM told_sessions WHERE (network_seq, alias, session_id) IN
       (SELECT network_seq, alias, session_id FROM told_sessions WHERE told_at < ? ORDER BY told_at LIMIT ?)`,
    [cutoff, limit],
  );
  return changes;
}
