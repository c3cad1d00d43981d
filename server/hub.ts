// Wires clock, ids, store, broker and log into one Hub, the only thing that operations, sweeps and doors are handed.
import { systemClock, type Clock, type Millis } from './domain/clock.ts';
import { randomIds, type Ids } from './domain/ids.ts';
import { DUPLICATE_WINDOW_MS, RESTART_GRACE_MS } from './domain/limits.ts';
import type { Presence } from './domain/session.ts';
import { MINUTE_MS, SECOND_MS } from './domain/time.ts';
import { countAttempts, type Attempts } from './events/attempts.ts';
import { openBroker, type Broker } from './events/broker.ts';
import { gatherMarks, type LateMarks } from './events/late-marks.ts';
import { openRevocations, type Revocations } from './events/revocations.ts';
import { gatherSigns, type SignsOfLife } from './events/signs-of-life.ts';
import type { Passwords } from './native/passwords.ts';
import { openDatabase, type Database } from './store/database.ts';
import { migrate } from './store/migrate.ts';

/** What an operator may set; config.ts reads it. */
export type Settings = {
  offline_after_seconds: number;
  heartbeat_seconds: number;
  sweep_seconds: number;
  trial_days: number;
  trust_proxy: number;
};

export type Log = {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
};

export type Hub = {
  version: string;
  startedAt: Millis;
  settings: Settings;
  /** What the first registration must bring as its bearer; undefined where none is needed. */
  setupToken: string | undefined;
  clock: Clock;
  ids: Ids;
  store: Database;
  broker: Broker;
  revocations: Revocations;
  recentSends: Attempts;
  failedLogins: Attempts;
  signs: SignsOfLife;
  marks: LateMarks;
  passwords: Passwords;
  log: Log;
};

export type HubOptions = Pick<Hub, 'version' | 'settings' | 'setupToken' | 'passwords' | 'log'> & {
  databaseFile: string;
  onFatal: (error: unknown) => void;
  clock?: Clock;
  ids?: Ids;
};

const REMEMBERED_KEYS = 50_000;

export async function openHub(options: HubOptions): Promise<Hub> {
  const { databaseFile, onFatal, clock = systemClock, ids = randomIds, ...rest } = options;
  const broker = openBroker();
  await migrate(databaseFile);
  return {
    ...rest,
    clock,
    ids,
    broker,
    store: await openDatabase({ file: databaseFile, clock, publish: broker.publish, onFatal }),
    startedAt: clock.now(),
    revocations: openRevocations(),
    recentSends: countAttempts(DUPLICATE_WINDOW_MS, REMEMBERED_KEYS),
    failedLogins: countAttempts(MINUTE_MS, REMEMBERED_KEYS),
    signs: gatherSigns(),
    marks: gatherMarks(),
  };
}

/** The rule behind "offline" at this moment (decisions.md §3). */
export function presenceAt(hub: Hub, now: Millis): Presence {
  return {
    cutoff: now - hub.settings.offline_after_seconds * SECOND_MS,
    sparedBefore: now < hub.startedAt + RESTART_GRACE_MS ? hub.startedAt : 0,
  };
}
