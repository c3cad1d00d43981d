// Heartbeats that are not yet written down: polls and open streams, gathered so that they cost few writes. What is
// gathered is written at the latest 15 seconds after it came, and always before anybody is called offline.
import { SIGN_OF_LIFE_DELAY_MS } from '../domain/limits.ts';
import type { Heartbeat } from '../domain/session.ts';
import type { Millis } from '../domain/time/clock.ts';

export type Heartbeats = {
  /** Notes a sign; answers whether it should be written at once, since the last one written is old. */
  note(sign: Heartbeat): boolean;
  /** An open stream is a sign at every moment until the answer is called with the moment of its end. */
  hold(networkId: string, alias: string): (now: Millis) => void;
  /** The latest sign not yet written, if any. */
  latest(networkId: string, alias: string, now: Millis): Millis | undefined;
  /** Everything not yet written; from then on it counts as written. */
  take(now: Millis): Heartbeat[];
  /** What was taken and then not written. */
  giveBack(heartbeats: readonly Heartbeat[]): void;
};

type Entry = { network_id: string; alias: string; at: Millis; writtenAt: Millis; streams: number };

export function gatherHeartbeats(): Heartbeats {
  const entries = new Map<string, Entry>();
  const entryOf = (networkId: string, alias: string): Entry => {
    const key = `${networkId} ${alias}`;
    const entry = entries.get(key) ?? { network_id: networkId, alias, at: 0, writtenAt: -Infinity, streams: 0 };
    entries.set(key, entry);
    return entry;
  };
  return {
    note: (sign) => {
      const entry = entryOf(sign.network_id, sign.alias);
      entry.at = sign.at;
      const isDue = sign.at - entry.writtenAt >= SIGN_OF_LIFE_DELAY_MS;
      if (isDue) entry.writtenAt = sign.at;
      return isDue;
    },
    hold: (networkId, alias) => {
      entryOf(networkId, alias).streams++;
      return (now) => {
        const entry = entryOf(networkId, alias);
        entry.streams--;
        entry.at = now;
      };
    },
    latest: (networkId, alias, now) => {
      const entry = entries.get(`${networkId} ${alias}`);
      return entry === undefined ? undefined : lastHeartbeat(entry, now);
    },
    take: (now) => [...entries].flatMap(([key, entry]) => takeOne(entries, key, entry, now)),
    giveBack: (heartbeats) => {
      for (const { network_id, alias, at } of heartbeats) {
        const entry = entryOf(network_id, alias);
        Object.assign(entry, { at: Math.max(at, entry.at), writtenAt: -Infinity });
      }
    },
  };
}

function lastHeartbeat(entry: Entry, now: Millis): Millis {
  return entry.streams > 0 ? now : entry.at;
}

function takeOne(entries: Map<string, Entry>, key: string, entry: Entry, now: Millis): Heartbeat[] {
  const at = lastHeartbeat(entry, now);
  const isWritten = at <= entry.writtenAt;
  if (isWritten && entry.streams === 0) entries.delete(key);
  entry.writtenAt = Math.max(at, entry.writtenAt);
  return isWritten ? [] : [{ network_id: entry.network_id, alias: entry.alias, at }];
}
