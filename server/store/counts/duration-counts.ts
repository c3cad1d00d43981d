// Counts how long tasks waited to start and took to settle, per network, agent and quarter of an hour, in the buckets
// of duration-buckets.ts. Sending a task counts nothing here. The alias '' stands for the whole network.
import type { Task } from '../../domain/task.ts';
import type { TaskMove } from '../../domain/task-event.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { type BucketCount, bucketOf } from '../../domain/time/duration-buckets.ts';
import { MINUTE_MS } from '../../domain/time/time.ts';
import { statementsFor } from '../engine/placeholders.ts';
import type { Reader, SqlValue, Transaction } from '../engine/transaction.ts';

export const QUARTER_MS = 15 * MINUTE_MS;
export const WHOLE_NETWORK = '';

/** From delivery to the start, or to the end of the attempt, by its outcome. */
export type Measure = 'started' | 'replied' | 'failed' | 'cancelled' | 'expired';

const COLUMNS = ['network_seq', 'alias', 'quarter', 'measure', 'bucket', 'tasks'];
const insertsOf = statementsFor(`INSERT INTO duration_counts (${COLUMNS.join(', ')}) VALUES`, COLUMNS.length);
const ADDED = `ON CONFLICT (${COLUMNS.slice(0, -1).join(', ')}) DO UPDATE SET tasks = duration_counts.tasks + excluded.tasks`;

type Key = readonly [network_id: string, alias: string, measure: Measure, bucket: number];

/** Counts the transitions that start or settle a task, at the current time. */
export async function add(
  tx: Pick<Transaction, 'run' | 'now' | 'networkSeq' | 'pause'>,
  moves: readonly TaskMove[],
): Promise<void> {
  const counts = new Map<string, { key: Key; tasks: number }>();
  for (const { task } of moves) {
    const measured = measure(task);
    if (measured === undefined) continue;
    for (const alias of [task.to_name, WHOLE_NETWORK]) {
      const key = [task.network_id, alias, ...measured] as const;
      const counted = counts.get(key.join('\n')) ?? { key, tasks: 0 };
      counted.tasks += 1;
      counts.set(key.join('\n'), counted);
    }
  }
  const quarter = Math.floor(tx.now / QUARTER_MS);
  for (const { sql, piece } of insertsOf([...counts.values()])) {
    await tx.run(
      `${sql} ${ADDED}`,
      piece.flatMap(({ key: [networkId, alias, ...measured], tasks }): SqlValue[] => [
        tx.networkSeq(networkId),
        alias,
        quarter,
        ...measured,
        tasks,
      ]),
    );
    await tx.pause();
  }
}

function measure({ status, delivered_at, started_at, completed_at }: Task): [Measure, bucket: number] | undefined {
  if (status === 'delivered') return undefined;
  const [name, end] = status === 'running' ? (['started', started_at] as const) : ([status, completed_at] as const);
  return [name, bucketOf((end ?? delivered_at) - delivered_at)];
}

export type DurationCount = BucketCount & { measure: Measure };

/** Quarters that `listBySpan` adds up. */
export const SPAN_QUARTERS = 24;

/** Lists the counts of an agent, or of the whole network, in a number of spans, ordered by span and measure. */
export function listBySpan(
  reader: Reader,
  { network_id, alias }: { network_id: string; alias: string },
  { from, spans }: { from: number; spans: number },
): Promise<DurationCount[]> {
  return reader.all(
    `SELECT measure, bucket, sum(tasks) AS tasks FROM duration_counts
     WHERE network_seq = ?1 AND alias = ?2 AND quarter >= ?3 AND quarter < ?4
     GROUP BY (quarter - ?3) / ${SPAN_QUARTERS}, measure, bucket
     ORDER BY (quarter - ?3) / ${SPAN_QUARTERS}, measure, bucket`,
    [reader.networkSeq(network_id), alias, from, from + spans * SPAN_QUARTERS],
  );
}

/** Deletes at most `limit` rows from before `cutoff`. Returns their number. */
export async function removeBefore(tx: Transaction, cutoff: Millis, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM duration_counts WHERE (network_seq, alias, quarter, measure, bucket) IN
       (SELECT network_seq, alias, quarter, measure, bucket FROM duration_counts WHERE quarter < ? ORDER BY quarter LIMIT ?)`,
    [Math.floor(cutoff / QUARTER_MS), limit],
  );
  return changes;
}
