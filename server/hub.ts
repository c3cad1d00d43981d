// Wires clock, ids, store, broker and log into one Hub, the only thing that operations, sweeps and doors are handed.
import { systemClock, type Clock, type Millis } from './domain/clock.ts';
import { randomIds, type Ids } from './domain/ids.ts';
import { DUPLICATE_WINDOW_MS } from './domain/limits.ts';
import { MINUTE_MS } from './domain/time.ts';
import { countAttempts, type Attempts } from './events/attempts.ts';
import { openBroker, type Broker } from './events/broker.ts';
import { expectCheckups, type Checkups } from './events/checkups.ts';
import { keepHookNotes, type HookNotes } from './events/hook-notes.ts';
import { gatherMarks, type LateMarks } from './events/late-marks.ts';
import { keepCallers, type KnownCallers } from './events/known-callers.ts';
import { openRevocations, type Revocations } from './events/revocations.ts';
import { gatherSigns, type SignsOfLife } from './events/signs-of-life.ts';
import { keepTally, observe, type Tally } from './events/tally.ts';
import type { Passwords } from './native/passwords.ts';
import { passTime } from './operations/time-passes.ts';
import { openDatabase, type Database, type Meter, type Transaction } from './store/database.ts';
import { migrate } from './store/migrate.ts';

/** What an operator may set; config.ts reads it. */
export type Settings = {
  offline_after_seconds: number;
  heartbeat_seconds: number;
  sweep_seconds: number;
  trial_days: number;
  trust_proxy: number;
  host: string;
  /** Names that may stand in Host, and origins whose pages may call, beside those of this machine. */
  allowed_hosts: readonly string[];
  allowed_origins: readonly string[];
  /** Where others reach the hub: an origin, without a slash at its end. */
  public_url: string | undefined;
  registration: 'open' | 'invite' | 'closed';
  /** Who may read /metrics: this machine or whoever brings the token, the token alone, nobody. */
  metrics: 'loopback' | 'token' | 'off';
  metrics_token: string | undefined;
  /** How long what is over is kept; days of 0 are without end. */
  keep_events_hours: number;
  keep_messages_days: number;
  keep_tasks_days: number;
  keep_audit_days: number;
};

export type Log = {
  isLevelEnabled(level: 'debug'): boolean;
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
  /** Where it answers on this machine; undefined where it only opens the data. */
  url?: string;
  clock: Clock;
  ids: Ids;
  store: Database;
  broker: Broker;
  revocations: Revocations;
  knownCallers: KnownCallers;
  hookNotes: HookNotes;
  recentSends: Attempts;
  failedLogins: Attempts;
  checkups: Checkups;
  signs: SignsOfLife;
  marks: LateMarks;
  passwords: Passwords;
  log: Log;
  tally: Tally;
  /** Set when the end has begun. */
  life: { isStopping: boolean };
  /** How many sessions and tasks time alone has changed since the start. */
  passed: { sessions: number; tasks: number };
};

export type HubOptions = Pick<Hub, 'version' | 'settings' | 'setupToken' | 'url' | 'passwords' | 'log'> & {
  databaseFile: string;
  onFatal: (error: unknown) => void;
  clock?: Clock;
  ids?: Ids;
};

const REMEMBERED_KEYS = 50_000;
const ERRORS_A_MINUTE = 5;

export async function openHub(options: HubOptions): Promise<Hub> {
  const { databaseFile: file, onFatal, clock = systemClock, ids = randomIds(clock), ...rest } = options;
  const onError = tellOfErrors(rest.log, clock);
  const broker = openBroker(onError);
  const timed = { settings: rest.settings, startedAt: clock.now(), signs: gatherSigns() };
  const passed = { sessions: 0, tasks: 0 };
  const before = async (tx: Transaction): Promise<boolean> => {
    const { sessions, tasks, isAll } = await passTime(timed, tx);
    passed.sessions += sessions;
    passed.tasks += tasks;
    return isAll;
  };
  const tally = keepTally();
  const upgrade = await migrate(file);
  if (upgrade !== undefined) rest.log.info(upgrade, `the database went from schema ${upgrade.from} to ${upgrade.to}; its copy from before is ${upgrade.copy}`);
  const store = await openDatabase({ file, clock, before, publish: broker.publish, meter: meterInto(tally), onError, onFatal });
  return {
    ...rest,
    ...timed,
    clock,
    ids,
    store,
    broker,
    passed,
    tally,
    life: { isStopping: false },
    revocations: openRevocations(),
    knownCallers: keepCallers(),
    hookNotes: keepHookNotes(broker),
    recentSends: countAttempts(DUPLICATE_WINDOW_MS, REMEMBERED_KEYS),
    failedLogins: countAttempts(MINUTE_MS, REMEMBERED_KEYS),
    checkups: expectCheckups(),
    marks: gatherMarks(),
  };
}

/** The same error may come with every commit, hundreds of times a second. */
function tellOfErrors(log: Log, clock: Clock): (error: unknown) => void {
  const told = countAttempts(MINUTE_MS, REMEMBERED_KEYS);
  return (error) => {
    if (told.count(String(error), clock.now()) >= ERRORS_A_MINUTE) return;
    told.add(String(error), clock.now());
    log.error({ err: error }, 'what comes before or after a commit failed; what was acknowledged stands');
  };
}

function meterInto({ groups, commits, deliveries }: Tally): Meter {
  return {
    committed: (jobs, seconds) => {
      observe(groups, jobs);
      observe(commits, seconds);
    },
    delivered: (stage, count) => void (deliveries[stage] += count),
  };
}
