// Counts the tasks sent and settled over the last hours, in buckets.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_THROUGHPUT_HOURS } from '../../domain/limits.ts';
import { MINUTE_MS, SECOND_MS, timestamp } from '../../domain/time/time.ts';
import * as moveCounts from '../../store/counts/move-counts.ts';
import { readCurrent } from '../expiry.ts';
import { operation } from '../operation.ts';

/** One per minute of an hour, so that over N hours a bucket is N minutes wide. */
const BUCKETS = 60;

export const getThroughput = operation({
  name: 'get_throughput',
  summary: 'Count tasks sent and settled over the last hours, in 60 buckets.',
  access: 'read',
  input: v.object({
    hours: v.optional(fields.wholeNumberFrom(1, MAX_THROUGHPUT_HOURS), 1),
    network_id: fields.networkId,
  }),
  run: async (hub, caller, { hours: width }, { store }) => {
    const now = await readCurrent(hub, store, async (reader) => reader.now);
    const first = Math.floor(now / (width * MINUTE_MS)) - BUCKETS + 1;
    const buckets = Array.from({ length: BUCKETS }, (_, index) => emptyBucket(first + index, width));
    // One read per network, so that other requests run in between: a week of a busy network has 10,000 rows.
    for (const network of caller.networks) {
      const counted = await store.read((reader) => moveCounts.listBuckets(reader, network, first * width, width));
      for (const counts of counted) addTo(buckets[counts.bucket - first], counts);
    }
    return { ok: true, until: timestamp(now), bucket_seconds: (width * MINUTE_MS) / SECOND_MS, buckets };
  },
});

function emptyBucket(bucket: number, width: number): { at: string } & moveCounts.MoveCounts {
  const at = timestamp(bucket * width * MINUTE_MS);
  return { at, sent: 0, replied: 0, failed: 0, cancelled: 0, expired: 0 };
}

function addTo(bucket: moveCounts.MoveCounts | undefined, counts: moveCounts.MoveCounts): void {
  if (bucket === undefined) return;
  for (const move of moveCounts.MOVES) bucket[move] += counts[move];
}
