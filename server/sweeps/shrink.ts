// Gives space back to the file system after many rows were removed, in portions with a commit each, so that other
// writes do not wait. New rows would use the space otherwise, so a file with little of it stays as it is.
import type { Hub } from '../hub.ts';
import { type Elapsed, openPortions } from '../operations/portion-size.ts';
import * as freeSpace from '../store/free-space.ts';

/** 16 MiB. */
const WORTH_PAGES = 4_096;
/** Shares of the file: with more free space it shrinks, until this much is left for new rows. */
const MOST_FREE = 1 / 4;
const KEPT_FREE = 1 / 16;

export async function shrink(hub: Hub, elapsed?: Elapsed, worth = WORTH_PAGES): Promise<{ pages: number }> {
  const { free, total } = await hub.store.read(freeSpace.find);
  if (free < worth || free < total * MOST_FREE) return { pages: 0 };
  const portions = openPortions(elapsed);
  const wanted = free - Math.floor(total * KEPT_FREE);
  let pages = 0;
  while (pages < wanted && !hub.life.isStopping) {
    const from = pages;
    await hub.store.write((tx) =>
      portions.run(from, async (done) => {
        await freeSpace.giveBack(tx);
        pages = done + freeSpace.PAGES_AT_ONCE;
        return pages < wanted ? pages : undefined;
      }),
    );
  }
  return { pages };
}
