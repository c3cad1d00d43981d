// Writes the heartbeats of polls and open streams since the last run, in portions with a commit each: the row of a
// session may hold hundreds of kilobytes.
import type { Hub } from '../hub.ts';
import { type Elapsed, openPortions } from '../operations/portion-size.ts';
import { recordHeartbeats } from '../operations/sessions/presence.ts';

const STEP = { max: 128 };

export async function writeHeartbeats(
  { store, clock, heartbeats }: Pick<Hub, 'store' | 'clock' | 'heartbeats'>,
  elapsed?: Elapsed,
): Promise<{ heartbeats: number }> {
  const until = clock.now();
  const taken = heartbeats.take(until);
  const portions = openPortions(elapsed, STEP);
  let stored = 0;
  try {
    while (stored < taken.length) {
      const next = await store.write((tx) =>
        portions.run(stored, async (start, rows) => {
          await recordHeartbeats(tx, taken.slice(start, start + rows));
          return start + rows < taken.length ? start + rows : undefined;
        }),
      );
      stored = next ?? taken.length;
    }
  } finally {
    heartbeats.giveBack(taken.slice(stored));
  }
  store.heartbeatsStored(until);
  return { heartbeats: taken.length };
}
