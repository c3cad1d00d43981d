// The share of a turn of the event loop that large bodies may have: what goes beyond it waits for a later turn, first come first
// served, so that the small requests of others are answered in between.

/** Spends so many bytes. Undefined when this turn has room for them; otherwise resolves in the turn that has. */
export type TurnShare = (bytes: number) => Promise<void> | undefined;

/** A turn takes work until it has used up `max` bytes, so one piece of any size always fits. */
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
