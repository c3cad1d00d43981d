// The counters that a group of writes collects in memory.
import { type SentTasks, sentInGroup } from '../counts/task-counts.ts';
import { type Arrivals, arrivalsInGroup } from '../inboxes.ts';
import type { GatheredCounts } from './gathered-counts.ts';
import type { NetworkSeqs } from './network-seqs.ts';
import type { CounterTable } from './transaction.ts';

export type GroupCounts = {
  arrivals: Arrivals;
  sent: SentTasks;
  counts: Readonly<Record<CounterTable, GatheredCounts>>;
};

/** `first` runs a statement of the group. */
export function countsInGroup(
  first: Parameters<typeof arrivalsInGroup>[0],
  networkSeqs: Pick<NetworkSeqs, 'of'>,
): GroupCounts {
  const [arrivals, sent] = [arrivalsInGroup(first, networkSeqs), sentInGroup(networkSeqs)];
  return { arrivals, sent, counts: { inboxes: arrivals.counts, task_counts: sent.counts } };
}
