// The troubles that a hub has now, and the recent ones. Each writes one line to the log when it begins and one when it
// ends, however many requests it affects.

import { TROUBLES, type TroubleKind } from '../domain/health/troubles.ts';
import type { Log } from '../domain/log.ts';
import type { HubClock, Millis } from '../domain/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time/time.ts';

/** `facts` are numbers from when it began, such as the free bytes. */
export type Trouble = {
  kind: TroubleKind;
  since: Millis;
  until: Millis | null;
  facts: Readonly<Record<string, number>>;
};

export type Troubles = {
  /** Call regularly with the present state: it begins, continues or ends a trouble of this kind. */
  report(kind: TroubleKind, isPresent: boolean, facts?: Trouble['facts']): void;
  /** The troubles of this moment. */
  listPresent(): readonly Trouble[];
  /** The latest troubles, oldest first, including those that have ended. */
  listRecent(): readonly Trouble[];
};

const REMEMBERED = 100;

export function openTroubles(log: Log, clock: Pick<HubClock, 'now'>): Troubles {
  const present = new Map<TroubleKind, Trouble>();
  const recent: Trouble[] = [];
  const logged = new Map<TroubleKind, Millis>();
  const begin = (kind: TroubleKind, facts: Trouble['facts']): void => {
    const trouble = { kind, since: clock.now(), until: null, facts };
    present.set(kind, trouble);
    recent.push(trouble);
    if (recent.length > REMEMBERED) recent.shift();
    // Trouble that comes and goes every second is logged once a minute.
    if (trouble.since - (logged.get(kind) ?? -Infinity) < MINUTE_MS) return;
    logged.set(kind, trouble.since);
    log[TROUBLES[kind].level]({ trouble: kind, ...facts }, TROUBLES[kind].message);
  };
  const end = (trouble: Trouble): void => {
    const { kind, since } = trouble;
    present.delete(kind);
    trouble.until = clock.now();
    if (logged.get(kind) !== since) return;
    const seconds = Math.round((trouble.until - since) / SECOND_MS);
    log.info({ trouble: kind, seconds }, 'trouble ended');
  };
  return {
    report: (kind, isPresent, facts = {}) => {
      const trouble = present.get(kind);
      if (isPresent && trouble === undefined) begin(kind, facts);
      if (!isPresent && trouble !== undefined) end(trouble);
    },
    listPresent: () => [...present.values()],
    listRecent: () => recent,
  };
}
