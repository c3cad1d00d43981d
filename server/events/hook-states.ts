// State per agent whose client sends hook events: whether it has new mail, up to which message mail was mentioned, and
// its last report. Memory is bounded: the least recently active agent is evicted, and its unfetched mail is mentioned
// again when it returns.
import { HEARTBEAT_DELAY_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Broker } from './broker.ts';

export type HookState = {
  /** Returns whether mail may have arrived since the last call, and resets it. */
  takeNews(): boolean;
  /** Records that mail up to this number was mentioned; undefined if unknown, which keeps the mail as news. */
  mentioned(upTo: number | undefined): void;
  mentionedUpTo(): number;
  /** Whether this report must be stored: it differs from the last one, or the last one is 15 seconds old. */
  isReportDue(report: string, now: Millis): boolean;
  /** Discards the last report because it was not stored, so that the next one is. */
  forgetReport(): void;
};

export type HookStates = { of(networkId: string, alias: string): HookState };

type Entry = { state: HookState; forget: () => void };

export function openHookStates(broker: Broker, maxKept = 10_000): HookStates {
  const entries = new Map<string, Entry>();
  return {
    of: (networkId, alias) => {
      const key = `${networkId} ${alias}`;
      const found = entries.get(key) ?? openEntry(broker, networkId, alias);
      entries.delete(key); // moves the entry to the end: a Map keeps insertion order
      entries.set(key, found);
      evictOldest(entries, maxKept);
      return found.state;
    },
  };
}

function openEntry(broker: Broker, networkId: string, alias: string): Entry {
  let isNews = true;
  let upTo = 0;
  let last: { report: string; at: Millis } | undefined;
  const forget = broker.subscribe({ networks: [networkId], inbox: alias }, () => (isNews = true));
  const state: HookState = {
    takeNews: () => {
      const taken = isNews;
      isNews = false;
      return taken;
    },
    mentioned: (seq) => {
      if (seq === undefined) isNews = true;
      else upTo = Math.max(upTo, seq);
    },
    mentionedUpTo: () => upTo,
    isReportDue: (report, now) => {
      if (last?.report === report && now - last.at < HEARTBEAT_DELAY_MS) return false;
      last = { report, at: now };
      return true;
    },
    forgetReport: () => (last = undefined),
  };
  return { state, forget };
}

function evictOldest(entries: Map<string, Entry>, maxKept: number): void {
  if (entries.size <= maxKept) return;
  const [oldest] = entries;
  if (oldest === undefined) return;
  oldest[1].forget();
  entries.delete(oldest[0]);
}
