// How many nodes each network has, where it was asked for: counting them anew for every new one would read all their names.

export type NodeCounts = {
  /** Undefined when they are to be counted. */
  of(networkId: string): number | undefined;
  set(networkId: string, count: number): void;
  /** For what may have removed some. */
  forget(networkId?: string): void;
};

export function keepNodeCounts(): NodeCounts {
  const counts = new Map<string, number>();
  return {
    of: (networkId) => counts.get(networkId),
    set: (networkId, count) => void counts.set(networkId, count),
    forget: (networkId) => void (networkId === undefined ? counts.clear() : counts.delete(networkId)),
  };
}
