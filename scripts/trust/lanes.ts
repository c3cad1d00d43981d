// Several rows at a time, except for those that measure: they run alone, after the others.
import type { Row } from './row.ts';

export async function inLanes(rows: readonly Row[], lanes: number, run: (row: Row) => Promise<void>): Promise<void> {
  const [alone, others] = [rows.filter((row) => row.isAlone), rows.filter((row) => !row.isAlone)];
  await share(others, lanes, run);
  await share(alone, 1, run);
}

/** Each lane takes the next item when it is done with its last. */
export async function share<Item>(items: readonly Item[], lanes: number, run: (item: Item) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
