// A wakeup signal for one waiter. A wakeup that arrives while nothing waits is remembered.

export type Wakeup = {
  wake(): void;
  /** Resolves on a wakeup, on timeout, or when the signal is aborted. Returns whether there was a wakeup. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>;
};

export function openWakeup(): Wakeup {
  let isWoken = false;
  let resume = (): void => {};
  return {
    wake: () => {
      isWoken = true;
      resume();
    },
    wait: async (timeoutMs, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      resume = resolve;
      const timer = setTimeout(resolve, timeoutMs);
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (!isWoken && !signal.aborted) await promise;
      clearTimeout(timer);
      const wasWoken = isWoken;
      isWoken = false;
      return wasWoken;
    },
  };
}
