// Durations are counted in buckets on a logarithmic scale, so that a few numbers describe any number of tasks: each
// bucket begins at one and a half times the one before. A percentile from them is accurate to within that factor.
import { DAY_MS } from './time.ts';

const FIRST_MS = 10;
const LAST_MS = 30 * DAY_MS;

/** Where each bucket but the first begins, in milliseconds. The first begins at 0, the last has no end. */
export const BUCKET_STARTS: readonly number[] = startsFrom(FIRST_MS);

function startsFrom(start: number): number[] {
  return start > LAST_MS ? [] : [start, ...startsFrom(Math.floor((start * 3) / 2))];
}

export function bucketOf(milliseconds: number): number {
  const beyond = BUCKET_STARTS.findIndex((start) => milliseconds < start);
  return beyond < 0 ? BUCKET_STARTS.length : beyond;
}

export type BucketCount = { bucket: number; tasks: number };

/**
 * The duration that this share of the tasks did not exceed, in whole milliseconds; null without tasks. The counts are
 * ordered by bucket. The durations of each count are assumed to be evenly spread over its bucket, on the same scale.
 */
export function percentileOf(counts: Iterable<BucketCount>, share: number): number | null {
  let total = 0;
  for (const { tasks } of counts) total += tasks;
  if (total === 0) return null;
  const rank = Math.max(1, share * total);
  let below = 0;
  for (const { bucket, tasks } of counts) {
    if (below + tasks >= rank) return Math.round(durationWithin(bucket, (rank - below) / tasks));
    below += tasks;
  }
  return LAST_MS;
}

function durationWithin(bucket: number, part: number): number {
  const start = BUCKET_STARTS[Math.min(bucket, BUCKET_STARTS.length) - 1];
  const end = BUCKET_STARTS[bucket] ?? LAST_MS;
  return start === undefined ? part * end : start * (Math.max(start, end) / start) ** part;
}
