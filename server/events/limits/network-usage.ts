// What quotas know about each network without reading the database: its bytes of text and its number of nodes.
import type { Exchange } from '../exchange.ts';

/**
 * Estimates the bytes of text in each network: the last measurement of a sweep plus everything sent since that sweep
 * started. Text stored during the sweep may count twice, and removed text still counts, until the next sweep. After a
 * start, only sent text counts until the first sweep is complete.
 */
export type NetworkBytes = {
  of(networkId: string): number;
  /** Counts bytes being stored; the returned function undoes it. */
  add(networkId: string, bytes: number): () => void;
  /** Starts a measurement; the returned function takes the result. */
  begin(): (measured: ReadonlyMap<string, number>) => void;
};

export function openNetworkBytes(exchange: Exchange): NetworkBytes {
  let measured: ReadonlyMap<string, number> = new Map();
  let added = new Map<string, number>();
  let sinceBegin = new Map<string, number>();
  const count = (networkId: string, bytes: number): void => {
    for (const counts of new Set([added, sinceBegin])) counts.set(networkId, (counts.get(networkId) ?? 0) + bytes);
  };
  const tell = exchange.share('network_bytes', count);
  const change = (networkId: string, bytes: number): void => {
    count(networkId, bytes);
    tell(networkId, bytes);
  };
  return {
    of: (networkId) => (measured.get(networkId) ?? 0) + (added.get(networkId) ?? 0),
    add: (networkId, bytes) => {
      change(networkId, bytes);
      return () => change(networkId, -bytes);
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

/** Caches the number of nodes per network. Counting them for each new node would read the index of all node ids. */
export type NodeCounts = {
  /** Undefined if the nodes must be counted. */
  of(networkId: string): number | undefined;
  set(networkId: string, count: number): void;
  /** Drops one count, or all of them, after nodes may have been removed. */
  forget(networkId?: string): void;
};

export function openNodeCounts(exchange: Exchange): NodeCounts {
  const counts = new Map<string, number>();
  const tell = exchange.share('node_counts', (networkId: string) => void counts.delete(networkId));
  return {
    of: (networkId) => counts.get(networkId),
    set: (networkId, count) => {
      counts.set(networkId, count);
      tell(networkId);
    },
    forget: (networkId) => void (networkId === undefined ? counts.clear() : counts.delete(networkId)),
  };
}
