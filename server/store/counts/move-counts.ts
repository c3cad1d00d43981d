// Counts the tasks sent and settled in each minute, per network. A group of writes changes at most one row per network.
import type { TaskMove } from '../../domain/task-event.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { statementsFor } from '../engine/placeholders.ts';
import type { Reader, SqlValue, Transaction } from '../engine/transaction.ts';

export const MOVES = ['sent', 'replied', 'failed', 'cancelled', 'expired'] as const;

export type Move = (typeof MOVES)[number];
export type MoveCounts = Record<Move, number>;

const insertsOf = statementsFor(
  `INSERT INTO move_counts (network_seq, minute, ${MOVES.join(', ')}) VALUES`,
  2 + MOVES.length,
);
const ADDED = `ON CONFLICT (network_seq, minute) DO UPDATE SET ${MOVES.map((move) => `${move} = move_counts.${move} + excluded.${move}`).join(', ')}`;

/** Counts transitions at the current time. */
export async function add(
  tx: Pick<Transaction, 'run' | 'now' | 'networkSeq'>,
  moves: readonly TaskMove[],
): Promise<void> {
  const byNetwork = new Map<string, MoveCounts>();
  for (const { task, from_status } of moves) {
    const move = from_status === null ? 'sent' : MOVES.find((settled) => settled === task.status);
    if (move === undefined) continue;
    const counts = byNetwork.get(task.network_id) ?? { sent: 0, replied: 0, failed: 0, cancelled: 0, expired: 0 };
    counts[move] += 1;
    byNetwork.set(task.network_id, counts);
  }
  const minute = Math.floor(tx.now / MINUTE_MS);
  for (const { sql, piece } of insertsOf([...byNetwork])) {
    await tx.run(
      `${sql} ${ADDED}`,
      piece.flatMap(([networkId, counts]): SqlValue[] => [
        tx.networkSeq(networkId),
        minute,
        ...MOVES.map((move) => counts[move]),
      ]),
    );
  }
}

/** `bucket` is the number of minutes since the epoch, divided by the width of a bucket. */
export type Bucket = MoveCounts & { bucket: number };

/** Lists the buckets of one network, starting at a minute. */
export function listBuckets(
  reader: Reader,
  networkId: string,
  sinceMinute: number,
  minutesPerBucket: number,
): Promise<Bucket[]> {
  return reader.all(
    `SELECT minute / ?1 AS bucket, ${MOVES.map((move) => `sum(${move}) AS ${move}`).join(', ')}
     FROM move_counts WHERE network_seq = ?2 AND minute >= ?3 GROUP BY 1`,
    [minutesPerBucket, reader.networkSeq(networkId), sinceMinute],
  );
}

/** Deletes at most `limit` rows from before `cutoff`. Returns their number. */
export async function removeBefore(tx: Transaction, cutoff: Millis, limit: number): Promise<number> {
  const { changes } = await tx.run(
    'DELETE FROM move_counts WHERE (network_seq, minute) IN (SELECT network_seq, minute FROM move_counts WHERE minute < ? ORDER BY minute LIMIT ?)',
    [Math.floor(cutoff / MINUTE_MS), limit],
  );
  return changes;
}
