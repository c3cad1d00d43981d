// How many tasks were sent and settled over the last hour or day, in buckets.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_THROUGHPUT_HOURS } from '../../domain/limits.ts';
import { HOUR_MS, SECOND_MS, timestamp } from '../../domain/time.ts';
import * as taskEvents from '../../store/task-events.ts';
import { operation } from '../operation.ts';
import { readCurrent } from '../time-passes.ts';

const BUCKETS = 60;

export const getThroughput = operation({
  name: 'get_throughput',
  summary: 'Count tasks sent and settled over the last hours, in 60 buckets.',
  access: 'read',
  input: v.object({ hours: v.optional(fields.wholeNumberFrom(1, MAX_THROUGHPUT_HOURS), 1), network_id: fields.networkId }),
  run: (hub, caller, { hours }) =>
    readCurrent(hub, async (reader) => {
      const bucketMs = (hours * HOUR_MS) / BUCKETS;
      const first = Math.floor(reader.now / bucketMs) - BUCKETS + 1;
      const counts = await taskEvents.countMoves(reader, caller.networks, first * bucketMs, bucketMs);
      const buckets = Array.from({ length: BUCKETS }, (_, index) => bucketOf(counts, first + index, bucketMs));
      return { ok: true, bucket_seconds: bucketMs / SECOND_MS, buckets };
    }),
});

function bucketOf(counts: readonly taskEvents.MoveCount[], bucket: number, bucketMs: number) {
  const count = (move: taskEvents.MoveCount['move']) =>
    counts.reduce((sum, each) => sum + (each.bucket === bucket && each.move === move ? each.count : 0), 0);
  return {
    at: timestamp(bucket * bucketMs),
    sent: count('sent'), replied: count('replied'), failed: count('failed'), cancelled: count('cancelled'), expired: count('expired'),
  };
}
