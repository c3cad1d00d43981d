// A bell for one who waits: it remembers being rung while nobody listened.

export type Wakeup = {
  ring(): void;
  /** Resolves when it was rung, when the time is up, or when the signal is aborted. Answers whether it was rung. */
  rung(atMostMs: number, signal: AbortSignal): Promise<boolean>;
};

export function openWakeup(): Wakeup {
  let isRung = false;
  let wake = (): void => {};
  return {
    ring: () => {
      isRung = true;
      wake();
    },
    rung: async (atMostMs, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, atMostMs);
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (!isRung && !signal.aborted) await promise;
      clearTimeout(timer);
      const wasRung = isRung;
      isRung = false;
      return wasRung;
    },
  };
}
