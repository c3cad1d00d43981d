// Limits long work by time instead of rows, since a row may hold 3 characters or hundreds of kilobytes. A read or a
// commit of such work is a portion; it takes steps of a few rows until its time is used up.

/** Milliseconds of a monotonic clock. */
export type Elapsed = () => number;

const machineElapsed: Elapsed = () => performance.now();

export type Size = {
  /** Runs a step with the current number of rows, and adapts it to the time of the step. */
  step<T>(work: (rows: number) => Promise<T>): Promise<T>;
};

export type SizeLimits = { first: number; min: number; max: number; wantedMs: number };

/** After a step faster than `wantedMs` the number of rows doubles; after a slower one it shrinks in proportion. */
export function openSize({ first, min, max, wantedMs }: SizeLimits, elapsed: Elapsed = machineElapsed): Size {
  let rows = first;
  return {
    step: async (work) => {
      const start = elapsed();
      const result = await work(rows);
      const took = elapsed() - start;
      rows = took < wantedMs ? Math.min(max, rows * 2) : Math.max(min, Math.ceil((rows * wantedMs) / took));
      return result;
    },
  };
}

const PORTION_MS = 3;
/** Few, because long rows may follow short ones. */
const STEP: SizeLimits = { first: 4, min: 1, max: 8, wantedMs: 1 };

export type Portions = {
  /**
   * Runs one portion, inside of a read or a write: repeats `step`, from the place that the last step returned, until it
   * returns undefined or the time is used up. A step handles at most `rows` rows, and all together at most `maxRows`.
   * Returns the place to continue from.
   */
  run<Place>(
    from: Place,
    step: (place: Place, rows: number) => Promise<Place | undefined>,
    maxRows?: number,
  ): Promise<Place | undefined>;
};

export function openPortions(elapsed: Elapsed = machineElapsed, limits: Partial<SizeLimits> = {}): Portions {
  const size = openSize({ ...STEP, ...limits }, elapsed);
  return {
    run: async (from, step, maxRows = Infinity) => {
      const end = elapsed() + PORTION_MS;
      let left = maxRows;
      let place: typeof from | undefined = from;
      do {
        const current: typeof from = place;
        place = await size.step((rows) => {
          const limit = Math.min(rows, left);
          left -= limit;
          return step(current, limit);
        });
      } while (place !== undefined && left > 0 && elapsed() < end);
      return place;
    },
  };
}
