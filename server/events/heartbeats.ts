// Collects heartbeats of polls and open streams so that they cost few writes. They are stored within 15 seconds, and
// always before a session is marked offline.
import { HEARTBEAT_DELAY_MS } from '../domain/limits.ts';
import type { Heartbeat } from '../domain/session.ts';
import type { Millis } from '../domain/time/clock.ts';

export type Heartbeats = {
  /** Records a heartbeat. Returns whether it should be stored immediately, because the last stored one is old. */
  note(heartbeat: Heartbeat): boolean;
  /** Counts an open stream as a continuous heartbeat until the returned function is called with its end time. */
  hold(networkId: string, alias: string): (now: Millis) => void;
  /** The latest heartbeat that is not stored yet, if any. */
  latest(networkId: string, alias: string, now: Millis): Millis | undefined;
  /** Returns all heartbeats that are not stored yet, and marks them as stored. */
  take(now: Millis): Heartbeat[];
  /** Until when other hubs on the database have stored theirs: later silence may be one of theirs. */
  othersStoredUntil(): Millis;
  followOthers(storedUntil: Millis): void;
  /** Restores heartbeats that were taken but not stored. */
  giveBack(heartbeats: readonly Heartbeat[]): void;
};

type Entry = { network_id: string; alias: string; at: Millis; writtenAt: Millis; streams: number };

export function openHeartbeats(): Heartbeats {
  const entries = new Map<string, Entry>();
  let othersUntil: Millis = Infinity;
  const entryOf = (networkId: string, alias: string): Entry => {
    const key = `${networkId} ${alias}`;
    const entry = entries.get(key) ?? { network_id: networkId, alias, at: 0, writtenAt: -Infinity, streams: 0 };
    entries.set(key, entry);
    return entry;
  };
  return {
    note: ({ network_id, alias, at }) => {
      const entry = entryOf(network_id, alias);
      entry.at = at;
      const isDue = at - entry.writtenAt >= HEARTBEAT_DELAY_MS;
      if (isDue) entry.writtenAt = at;
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
    othersStoredUntil: () => othersUntil,
    followOthers: (storedUntil) => void (othersUntil = storedUntil),
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
