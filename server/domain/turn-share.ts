// A byte budget per event loop turn for large request bodies. Work beyond it waits in FIFO order for a later turn, so small requests
// are served in between.

/** Spends bytes. Returns undefined if this turn has budget left; otherwise a promise that resolves in the turn that has. */
export type TurnShare = (bytes: number) => Promise<void> | undefined;

/** A turn accepts work until `max` bytes are spent, so a single piece of any size always fits. */
export function openTurnShare(max: number): TurnShare {
  const waiting: { bytes: number; begin: () => void }[] = [];
  let spent = 0;
  let isCounting = false;

  const count = (bytes: number): void => {
    spent += bytes;
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
      count(next.bytes);
      next.begin();
    }
  };
  return (bytes) => {
    if (spent >= max || waiting.length > 0) return new Promise((resolve) => waiting.push({ bytes, begin: resolve }));
    return void count(bytes);
  };
}
