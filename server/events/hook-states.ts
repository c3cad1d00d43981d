// What the hub keeps in mind of each agent whose client sends hook events: whether mail has come since it was last told
// of any, how far it was told, and what it last said of itself. In bounded memory: whoever was silent longest is
// forgotten, and is told of its unfetched mail anew when it comes back.
import { SIGN_OF_LIFE_DELAY_MS } from '../domain/limits.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Broker } from './broker.ts';

export type HookState = {
  /** Whether mail may have come since the last answer; from then on none has. */
  takeNews(): boolean;
  /** Mail up to this number was mentioned; undefined where it could not be found out, which keeps the news. */
  mentioned(upTo: number | undefined): void;
  mentionedUpTo(): number;
  /** Whether this report is to be written: it differs from the last one, or that is 15 seconds old. */
  isReportDue(report: string, now: Millis): boolean;
  /** The last report did not reach the disk, so that the next one has to. */
  forgetReport(): void;
};

export type HookStates = { of(networkId: string, alias: string): HookState };

type Kept = { note: HookState; forget: () => void };

export function openHookStates(broker: Broker, maxKept = 10_000): HookStates {
  const kept = new Map<string, Kept>();
  return {
    of: (networkId, alias) => {
      const key = `${networkId} ${alias}`;
      const found = kept.get(key) ?? openNote(broker, networkId, alias);
      kept.delete(key); // set again at the end: a Map is in the order of insertion
      kept.set(key, found);
      forgetOldest(kept, maxKept);
      return found.note;
    },
  };
}

function openNote(broker: Broker, networkId: string, alias: string): Kept {
  let isNews = true;
  let upTo = 0;
  let last: { report: string; at: Millis } | undefined;
  const forget = broker.subscribe({ networks: [networkId], inbox: alias }, () => (isNews = true));
  const note: HookState = {
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
      if (last?.report === report && now - last.at < SIGN_OF_LIFE_DELAY_MS) return false;
      last = { report, at: now };
      return true;
    },
    forgetReport: () => (last = undefined),
  };
  return { note, forget };
}

function forgetOldest(kept: Map<string, Kept>, maxKept: number): void {
  if (kept.size <= maxKept) return;
  const [oldest] = kept;
  if (oldest === undefined) return;
  oldest[1].forget();
  kept.delete(oldest[0]);
}
