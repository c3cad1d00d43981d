// A budget per event loop turn, in bytes of request bodies or in requests. Work beyond it waits in FIFO order for a
// later turn, so that other requests are served in between.

/**
 * Spends an amount. Returns undefined if this turn has budget left; otherwise a promise that resolves in the turn that
 * has.
 */
export type TurnShare = (amount: number) => Promise<void> | undefined;

/** A turn accepts work until `max` is spent, so a single piece of any size always fits. */
export function openTurnShare(max: number): TurnShare {
  const waiting: { amount: number; begin: () => void }[] = [];
  let spent = 0;
  let isCounting = false;

  const count = (amount: number): void => {
    spent += amount;
    if (isCounting) return;
    isCounting = true;
    setImmediate(endTurn);
  };
  const endTurn = (): void => {
    isCounting = false;
    spent = 0;
    while (spent < max) {
      const next = waiting.shift();
      if (next === undefined) return;
      count(next.amount);
      next.begin();
    }
  };
  return (amount) => {
    if (spent >= max || waiting.length > 0) return new Promise((resolve) => waiting.push({ amount, begin: resolve }));
    return void count(amount);
  };
}

/** Resolves in the caller's turn. */
export type TenantTurns = (tenant: string) => Promise<void>;

/**
 * Admits one caller of each tenant per event loop turn. The others wait in FIFO order, behind callers of the same
 * tenant only.
 */
export function openTenantTurns(): TenantTurns {
  const waiting = new Map<string, (() => void)[]>(); // a tenant without an entry has not been admitted in this turn
  const endTurn = (): void => {
    for (const [tenant, line] of waiting) {
      const begin = line.shift();
      if (begin === undefined) waiting.delete(tenant);
      else begin();
    }
    if (waiting.size > 0) setImmediate(endTurn);
  };
  return async (tenant) => {
    const line = waiting.get(tenant);
    if (line !== undefined) return new Promise((resolve) => line.push(resolve));
    if (waiting.size === 0) setImmediate(endTurn);
    waiting.set(tenant, []);
  };
}
