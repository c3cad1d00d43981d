// How many bytes of text each network holds, about: what a sweep measured last, and what was sent since that sweep
// began. What was stored while it ran may count twice until the next one; what was removed counts until then. After a
// start nothing counts but what is sent, until the first sweep is done.

export type NetworkBytes = {
  of(networkId: string): number;
  /** Counts what is being stored; the result takes it back. */
  add(networkId: string, bytes: number): () => void;
  /** Begins a measurement; its result is handed what was measured. */
  begin(): (measured: ReadonlyMap<string, number>) => void;
};

export function keepNetworkBytes(): NetworkBytes {
  let measured: ReadonlyMap<string, number> = new Map();
  let added = new Map<string, number>();
  let sinceBegin = new Map<string, number>();
  const count = (networkId: string, bytes: number): void => {
    for (const counts of new Set([added, sinceBegin])) counts.set(networkId, (counts.get(networkId) ?? 0) + bytes);
  };
  return {
    of: (networkId) => (measured.get(networkId) ?? 0) + (added.get(networkId) ?? 0),
    add: (networkId, bytes) => {
      count(networkId, bytes);
      return () => count(networkId, -bytes);
    },
    begin: () => {
      sinceBegin = new Map();
      return (found) => {
        measured = found;
        added = sinceBegin;
      };
    },
  };
}
