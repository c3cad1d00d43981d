// Tells a quiet stream from a dead one: a connection through a sleeping laptop or a lost network ends without a word.

export type Watchdog = {
  start(onSilence: () => void): void;
  /** Anything arrived. */
  alive(): void;
  /** A heartbeat arrived; their pace is the hub's to choose, so it is learned. */
  beat(): void;
  stop(): void;
};

const PATIENCE = 2.5;
const UNLEARNED_LIMIT_MS = 300_000;
const SHORTEST_LIMIT_MS = 20_000;

export function openWatchdog(): Watchdog {
  let limitMs = UNLEARNED_LIMIT_MS;
  let lastBeat: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let bark = () => {};

  function alive(): void {
    clearTimeout(timer);
    timer = setTimeout(bark, limitMs);
  }

  return {
    start(onSilence) {
      bark = onSilence;
      lastBeat = null;
      alive();
    },
    alive,
    beat() {
      const at = performance.now();
      if (lastBeat !== null) limitMs = Math.max(SHORTEST_LIMIT_MS, (at - lastBeat) * PATIENCE);
      lastBeat = at;
    },
    stop: () => clearTimeout(timer),
  };
}
