// Divides a number of bytes among holders, so that some are always left for the next one.
export type Shares = {
  /** Adds to what a holder has, or takes from it. */
  change(holder: string, bytes: number): void;
  /** Whether this holder has half of what the others have left. */
  isFull(holder: string): boolean;
};

export function openShares(max: number): Shares {
  const held = new Map<string, number>();
  let total = 0;
  const heldBy = (holder: string): number => held.get(holder) ?? 0;
  return {
    change: (holder, bytes) => {
      const left = heldBy(holder) + bytes;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
      total += bytes;
    },
    isFull: (holder) => heldBy(holder) >= (max - (total - heldBy(holder))) / 2,
  };
}
