// Who uses the hub how much since its start: the calls of each token and of each network, and the users of clients
// that are newer than the hub. The number of remembered keys is bounded; tokens and networks that come later are not
// counted.

import { orderOf } from '../domain/text/version-order.ts';
import type { Millis } from '../domain/time/clock.ts';
import { DAY_MS } from '../domain/time/time.ts';

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

export type NewerClients = {
  /** Notes a user whose client is newer than the hub. */
  add(username: string, version: string, now: Millis): void;
  /** The users of the last day by version, the newest version first. */
  list(now: Millis): [version: string, usernames: string[]][];
};

const REMEMBERED_CLIENTS = 100;

/** Each user counts once, with the version used last; the user seen longest ago is forgotten first. */
export function openNewerClients(): NewerClients {
  const seen = new Map<string, { version: string; at: Millis }>();
  return {
    add: (username, version, at) => {
      seen.delete(username);
      seen.set(username, { version, at });
      const [oldest] = seen.keys();
      if (oldest !== undefined && seen.size > REMEMBERED_CLIENTS) seen.delete(oldest);
    },
    list: (now) => {
      const recent = [...seen].filter(([, { at }]) => now - at < DAY_MS);
      const byVersion = Map.groupBy(recent, ([, { version }]) => version);
      return [...byVersion]
        .map(([version, users]): [string, string[]] => [version, users.map(([username]) => username)])
        .sort(([one], [other]) => (orderOf(one, other) === 'newer' ? -1 : 1));
    },
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
