// Caches the number of nodes per network. Counting them for each new node would read the index of all node ids.

export type NodeCounts = {
  /** Undefined if the nodes must be counted. */
  of(networkId: string): number | undefined;
  set(networkId: string, count: number): void;
  /** Drops one count, or all of them, after nodes may have been removed. */
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
