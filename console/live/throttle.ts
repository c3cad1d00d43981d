// Runs something soon after it is asked for, and at most once per interval.

export type Throttle = { soon(): void; stop(): void };

/** The delay collects a burst of requests into one run. */
const FIRST_MS = 50;

export function atMostEvery(interval: number, run: () => void): Throttle {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ranAt = Number.NEGATIVE_INFINITY;
  const soon = () => {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        ranAt = performance.now();
        run();
      },
      Math.max(FIRST_MS, ranAt + interval - performance.now()),
    );
  };
  return { soon, stop: () => clearTimeout(timer) };
}
