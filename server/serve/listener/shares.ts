// Divides a number of bytes among holders, so that some are always left for the next one.
export type Shares = {
  /** Adds to what a holder has, or takes from it. */
  change(holder: string, bytes: number): void;
  held(holder: string): number;
  /** What this holder has, as a part of the half of what the others have left. */
  filled(holder: string): number;
  /** Whether it has that half. */
  isFull(holder: string): boolean;
};

export function openShares(max: number): Shares {
  const held = new Map<string, number>();
  let total = 0;
  const heldBy = (holder: string): number => held.get(holder) ?? 0;
  const filled = (holder: string): number => {
    const left = (max - (total - heldBy(holder))) / 2;
    return left <= 0 ? Infinity : heldBy(holder) / left;
  };
  return {
    change: (holder, bytes) => {
      const left = heldBy(holder) + bytes;
      if (left === 0) held.delete(holder);
      else held.set(holder, left);
      total += bytes;
    },
    held: heldBy,
    filled,
    isFull: (holder) => filled(holder) >= 1,
  };
}
