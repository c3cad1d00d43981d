// Who uses the hub how much since its start: the calls of each token and of each network. The number of remembered keys
// is bounded; those that come later are not counted.

export type Used = { calls: number; refused: number; seconds: number };

export type UsageCounts = {
  count(tokenId: string, networkId: string | undefined, isRefused: boolean, seconds: number): void;
  /** Those with the most calls, the largest first. */
  topTokens(atMost: number): [token_id: string, used: Used][];
  topNetworks(atMost: number): [network_id: string, used: Used][];
};

const REMEMBERED = 20_000;

export function openUsageCounts(): UsageCounts {
  const tokens = new Map<string, Used>();
  const networks = new Map<string, Used>();
  return {
    count: (tokenId, networkId, isRefused, seconds) => {
      add(tokens, tokenId, isRefused, seconds);
      if (networkId !== undefined) add(networks, networkId, isRefused, seconds);
    },
    topTokens: (atMost) => top(tokens, atMost),
    topNetworks: (atMost) => top(networks, atMost),
  };
}

function add(counts: Map<string, Used>, key: string, isRefused: boolean, seconds: number): void {
  let used = counts.get(key);
  if (used === undefined) {
    if (counts.size >= REMEMBERED) return;
    used = { calls: 0, refused: 0, seconds: 0 };
    counts.set(key, used);
  }
  used.calls += 1;
  used.refused += isRefused ? 1 : 0;
  used.seconds += seconds;
}

function top(counts: ReadonlyMap<string, Used>, atMost: number): [string, Used][] {
  return [...counts].sort(([, one], [, other]) => other.calls - one.calls).slice(0, atMost);
}
