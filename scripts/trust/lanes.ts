// Runs several rows at a time, except for those that measure, which run one by one before the others, and for those
// that only wait.
import type { Row } from './row.ts';

export async function inLanes(rows: readonly Row[], lanes: number, run: (row: Row) => Promise<void>): Promise<void> {
  const waiting = Promise.all(rows.filter(({ isIdle }) => isIdle).map(run));
  await share(
    rows.filter(({ isAlone }) => isAlone),
    1,
    run,
  );
  const others = rows.filter(({ isAlone, isIdle }) => !isAlone && !isIdle);
  await share([...others.filter(({ isSlow }) => isSlow), ...others.filter(({ isSlow }) => !isSlow)], lanes, run);
  await waiting;
}

/** Each lane takes the next item when it has finished its last. */
export async function share<Item>(
  items: readonly Item[],
  lanes: number,
  run: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const lane = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
