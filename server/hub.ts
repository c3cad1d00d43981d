// Wires clock, ids, store, broker and log into one Hub, the only thing that operations, sweeps and doors are handed.
import { StartError } from './domain/errors.ts';
import { randomIds, type Ids } from './domain/ids/ids.ts';
import { publicIds, type PublicIds } from './domain/ids/public-ids.ts';
import { DUPLICATE_WINDOW_MS } from './domain/limits.ts';
import type { Quotas } from './domain/quotas.ts';
import { isUsable, machineTime, openHubClock, type HubClock, type Millis, type TimeSource } from './domain/time/clock.ts';
import { MINUTE_MS, roughDuration, SECOND_MS } from './domain/time/time.ts';
import { openTenantTurns, type TenantTurns } from './domain/time/turn-share.ts';
import { openBroker, type Broker } from './events/broker.ts';
import { openCallerCache, type CallerCache } from './events/caller-cache.ts';
import { expectCheckups, type Checkups } from './events/checkups.ts';
import { gatherHeartbeats, type Heartbeats } from './events/heartbeats.ts';
import { openHookStates, type HookStates } from './events/hook-states.ts';
import { openMetrics, observe, type Metrics } from './events/metrics.ts';
import { countPerMinute, type MinuteRates } from './events/minute-rates.ts';
import { keepNetworkBytes, type NetworkBytes } from './events/network-bytes.ts';
import { keepNodeCounts, type NodeCounts } from './events/node-counts.ts';
import { openRevocations, type Revocations } from './events/revocations.ts';
import { openSlidingCounter, type SlidingCounter } from './events/sliding-window.ts';
import { openUnfinishedBroadcasts, type UnfinishedBroadcasts } from './events/unfinished-broadcasts.ts';
import { openWriteBehind, type WriteBehind } from './events/write-behind.ts';
import type { Passwords } from './native/passwords.ts';
import { expireAndMarkOffline } from './operations/expiry.ts';
import { finishBroadcast } from './operations/messages/broadcast.ts';
import type { LowCounter } from './store/counts/counters.ts';
import { openDatabase, type Before, type Database, type Meter } from './store/engine/database.ts';
import { migrate } from './store/file/migrate.ts';
import { newestMoment } from './store/file/newest-moment.ts';

/** What an operator may set; config.ts reads it. */
export type Settings = Quotas & {
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
  /** When it could last not hear of anybody: its start, or the end of a sleep. */
  awake: { since: Millis };
  settings: Settings;
  /** What the first registration must bring as its bearer where others may reach the hub. */
  setupToken: string;
  /** Where it answers on this machine; undefined where it only opens the data. */
  url?: string;
  /** The maximum number of open connections of the listener. */
  maxConnections: number;
  /** Scales the memory limits for bodies and responses: above 0, at most 1. */
  memoryShare: number;
  clock: HubClock;
  ids: Ids;
  publicIds: PublicIds;
  store: Database;
  broker: Broker;
  revocations: Revocations;
  callerCache: CallerCache;
  hookStates: HookStates;
  /** Large broadcasts that are being delivered. */
  unfinishedBroadcasts: UnfinishedBroadcasts;
  /** Turns for reading a page of missed events: one page per tenant and event loop turn. */
  replays: TenantTurns;
  recentSends: SlidingCounter;
  failedLogins: SlidingCounter;
  /** Logins and changes of a password that were right: who has one must not keep others from theirs. */
  passwordUses: SlidingCounter;
  /** Users whose password is being changed by themselves. */
  changingPassword: Set<string>;
  rates: MinuteRates;
  networkBytes: NetworkBytes;
  nodeCounts: NodeCounts;
  checkups: Checkups;
  heartbeats: Heartbeats;
  marks: WriteBehind;
  passwords: Passwords;
  log: Log;
  tally: Metrics;
  /** Set when the end has begun. */
  life: { isStopping: boolean };
  /** How many sessions and tasks time alone has changed since the start. */
  timedOut: { sessions: number; tasks: number };
};

export type HubOptions = Pick<Hub, 'version' | 'settings' | 'setupToken' | 'url' | 'passwords' | 'log'> & Partial<Pick<Hub, 'maxConnections' | 'memoryShare'>> & {
  databaseFile: string;
  onFatal: (error: unknown) => void;
  time?: TimeSource;
  ids?: Ids;
};

const REMEMBERED_KEYS = 50_000;
const ERRORS_A_MINUTE = 5;

export async function openHub(options: HubOptions): Promise<Hub> {
  const { databaseFile: file, onFatal, time = machineTime, ids: givenIds, ...rest } = options;
  const upgrade = await migrate(file);
  if (upgrade !== undefined) rest.log.info(upgrade, `the database went from schema ${upgrade.from} to ${upgrade.to}; its copy from before is ${upgrade.copy}`);
  const awake = { since: 0 };
  const clock = openClock(time, await newestMoment(file), rest.log, (now) => void (awake.since = now));
  awake.since = clock.now();
  const onError = tellOfErrors(rest.log, clock);
  const broker = openBroker(onError);
  const timed = { settings: rest.settings, awake, heartbeats: gatherHeartbeats(), timedOut: { sessions: 0, tasks: 0 } };
  const before: Before = (tx, networks) => expireAndMarkOffline(timed, tx, networks);
  const tally = openMetrics();
  const meter = meterInto(tally);
  const onLowCounter = tellOfLowCounter(rest.log);
  const store = await openDatabase({ file, clock, elapsed: time.monotonic, before, publish: broker.publish, meter, onError, onLowCounter, onFatal });
  const hub: Hub = {
    maxConnections: Infinity,
    memoryShare: 1,
    ...rest,
    ...timed,
    startedAt: awake.since,
    clock,
    ids: givenIds ?? randomIds(clock),
    publicIds: publicIds(store.idKey),
    store,
    broker,
    tally,
    life: { isStopping: false },
    revocations: openRevocations(),
    callerCache: openCallerCache(),
    hookStates: openHookStates(broker),
    replays: openTenantTurns(),
    recentSends: openSlidingCounter(DUPLICATE_WINDOW_MS, REMEMBERED_KEYS),
    failedLogins: openSlidingCounter(MINUTE_MS, REMEMBERED_KEYS),
    passwordUses: openSlidingCounter(MINUTE_MS, REMEMBERED_KEYS),
    changingPassword: new Set(),
    rates: countPerMinute(),
    networkBytes: keepNetworkBytes(),
    nodeCounts: keepNodeCounts(),
    checkups: expectCheckups(),
    marks: openWriteBehind(),
    unfinishedBroadcasts: openUnfinishedBroadcasts((...broadcast) => finishBroadcast(hub, ...broadcast), onError),
  };
  return hub;
}

function openClock(time: TimeSource, notBefore: Millis | undefined, log: Log, onWake: (now: Millis) => void): HubClock {
  if (!isUsable(time.wall())) throw new StartError('the clock of this machine shows a time after the year 9000; set it, then start again');
  const clock = openHubClock(time, {
    notBefore,
    onJump: (step) => {
      onWake(clock.now());
      log.warn({ slept_seconds: Math.round(step / SECOND_MS) }, `the machine slept, or its clock was set forward: ${roughDuration(step)} went by at once`);
    },
    onAhead: (by) => log.warn(
      { behind_seconds: Math.round(by / SECOND_MS) },
      `the clock of the machine is ${roughDuration(by)} behind the newest record; time goes on from there until the clock has caught up`,
    ),
    onUnusable: () => log.warn({ clock_ms: time.wall() }, 'the clock of the machine shows a time after the year 9000; time goes on without it until it is set'),
  });
  return clock;
}

function tellOfLowCounter(log: Log): (low: LowCounter) => void {
  return ({ counter, owner }) => {
    log.warn({ counter, owner }, `${counter} of ${owner} is lower than the number of its rows; stop the hub and run agenthub doctor --repair`);
  };
}

/** The same error may come with every commit, hundreds of times a second. */
function tellOfErrors(log: Log, clock: HubClock): (error: unknown) => void {
  const told = openSlidingCounter(MINUTE_MS, REMEMBERED_KEYS);
  return (error) => {
    if (told.count(String(error), clock.now()) >= ERRORS_A_MINUTE) return;
    told.add(String(error), clock.now());
    log.error({ err: error }, 'what comes before or after a commit failed; what was acknowledged stands');
  };
}

function meterInto(tally: Metrics): Meter {
  const { groups, commits, deliveries } = tally;
  return {
    repeated: () => void (tally.repeatedGroups += 1),
    committed: (jobs, seconds) => {
      observe(groups, jobs);
      observe(commits, seconds);
    },
    delivered: (stage, count) => void (deliveries[stage] += count),
  };
}
