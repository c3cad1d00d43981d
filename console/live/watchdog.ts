// Detects a dead stream, because a suspended laptop or a lost network ends a connection without an error.

export type Watchdog = {
  /** `probe` is called after each short silence of an open stream, and rejects if the hub does not respond. */
  start(onSilence: () => void, probe: () => Promise<unknown>): void;
  /** Called when data arrives. */
  alive(): void;
  /** Called on each heartbeat. The hub chooses the interval, so the watchdog learns it. */
  beat(): void;
  stop(): void;
};

const TOLERANCE = 2.5;
const UNLEARNED_LIMIT_MS = 300_000;
const SHORTEST_LIMIT_MS = 20_000;
/** A hub that hangs keeps its connections open. */
const PROBE_MS = 10_000;

export function openWatchdog(): Watchdog {
  let limitMs = UNLEARNED_LIMIT_MS;
  let lastBeat: number | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let probing: ReturnType<typeof setTimeout> | undefined;
  let round = 0;
  let notify = () => {};
  let probe = (): Promise<unknown> => Promise.resolve();

  function alive(): void {
    stop();
    timer = setTimeout(notify, limitMs);
    lookLater();
  }

  function lookLater(): void {
    const started = round;
    const ifStill = (act: () => void) => () => started === round && act();
    probing = setTimeout(() => probe().then(ifStill(lookLater), ifStill(notify)), PROBE_MS);
  }

  function stop(): void {
    round += 1;
    clearTimeout(timer);
    clearTimeout(probing);
  }

  return {
    start(onSilence, whetherAlive) {
      notify = onSilence;
      probe = whetherAlive;
      lastBeat = null;
      alive();
    },
    alive,
    beat() {
      const at = performance.now();
      if (lastBeat !== null) limitMs = Math.max(SHORTEST_LIMIT_MS, (at - lastBeat) * TOLERANCE);
      lastBeat = at;
    },
    stop,
  };
}
