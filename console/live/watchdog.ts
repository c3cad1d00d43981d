// Detects a dead stream, because a suspended laptop or a lost network ends a connection without an error.

export type Watchdog = {
  start(onSilence: () => void): void;
  /** Called when data arrives. */
  alive(): void;
  /** Called on each heartbeat. The hub chooses the interval, so the watchdog learns it. */
  beat(): void;
  stop(): void;
};

const TOLERANCE = 2.5;
const UNLEARNED_LIMIT_MS = 300_000;
const SHORTEST_LIMIT_MS = 20_000;

export function openWatchdog(): Watchdog {
  let limitMs = UNLEARNED_LIMIT_MS;
  let lastBeat: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let notify = () => {};

  function alive(): void {
    clearTimeout(timer);
    timer = setTimeout(notify, limitMs);
  }

  return {
    start(onSilence) {
      notify = onSilence;
      lastBeat = null;
      alive();
    },
    alive,
    beat() {
      const at = performance.now();
      if (lastBeat !== null) limitMs = Math.max(SHORTEST_LIMIT_MS, (at - lastBeat) * TOLERANCE);
      lastBeat = at;
    },
    stop: () => clearTimeout(timer),
  };
}
