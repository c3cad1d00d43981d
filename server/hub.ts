// Wires clock, ids, store, broker and log into one Hub, which operations, sweeps and doors are given.
import { StartError } from './domain/errors.ts';
import { type Ids, randomIds } from './domain/ids/ids.ts';
import { type PublicIds, publicIds } from './domain/ids/public-ids.ts';
import type { Log } from './domain/log.ts';
import type { Settings } from './domain/settings.ts';
import { type HubClock, isUsable, type Millis, machineTime, type TimeSource } from './domain/time/clock.ts';
import { type Broker, openBroker } from './events/broker.ts';
import { type HookStates, openHookStates } from './events/hook-states.ts';
import { type Memory, openMemory } from './events/memory.ts';
import { meterInto } from './events/metrics.ts';
import { openUnfinishedBroadcasts, type UnfinishedBroadcasts } from './events/unfinished-broadcasts.ts';
import { logCommitErrors, openLoggedClock, warnOfLowCounters } from './events/warnings.ts';
import type { Passwords } from './native/passwords.ts';
import { expireAndMarkOffline } from './operations/expiry.ts';
import { finishBroadcast } from './operations/messages/broadcast.ts';
import { type Before, type Database, openDatabase } from './store/engine/database.ts';
import { migrate } from './store/file/migrate.ts';
import { newestMoment } from './store/file/newest-moment.ts';

/** What a hub is given. */
type Given = {
  version: string;
  settings: Settings;
  /** The bearer that the first registration needs where others may reach the hub. */
  setupToken: string;
  /** Where the hub answers on this machine; undefined if it only opens the data. */
  url?: string;
  passwords: Passwords;
  log: Log;
  /** The maximum number of open connections of the listener. */
  maxConnections: number;
  /** Scales the memory limits for bodies and responses: above 0, at most 1. */
  memoryShare: number;
};

export type Hub = Given &
  Memory & {
    startedAt: Millis;
    /** Since when it has heard everybody: its start, or the end of a sleep. */
    awake: { since: Millis };
    clock: HubClock;
    ids: Ids;
    publicIds: PublicIds;
    store: Database;
    broker: Broker;
    hookStates: HookStates;
    /** Large broadcasts that are being delivered. */
    unfinishedBroadcasts: UnfinishedBroadcasts;
  };

export type HubOptions = Omit<Given, 'maxConnections' | 'memoryShare'> &
  Partial<Given> & {
    databaseFile: string;
    onFatal: (error: unknown) => void;
    time?: TimeSource;
    ids?: Ids;
  };

export async function openHub(options: HubOptions): Promise<Hub> {
  const { databaseFile: file, onFatal, time = machineTime, ids: givenIds, ...given } = options;
  const { log, settings } = given;
  if (!isUsable(time.wall()))
    throw new StartError('the clock of this machine shows a time after the year 9000; set it, then start again');
  const upgrade = await migrate(file);
  if (upgrade !== undefined)
    log.info(
      upgrade,
      `upgraded the database from schema ${upgrade.from} to ${upgrade.to}; a copy from before is ${upgrade.copy}`,
    );
  const awake = { since: 0 };
  const clock = openLoggedClock(time, await newestMoment(file), log, (now) => void (awake.since = now));
  awake.since = clock.now();
  const onError = logCommitErrors(log, clock);
  const broker = openBroker(onError);
  const memory = openMemory();
  const before: Before = (tx, networks) => expireAndMarkOffline({ settings, awake, ...memory }, tx, networks);
  const store = await openDatabase({
    file,
    clock,
    elapsed: time.monotonic,
    before,
    publish: broker.publish,
    meter: meterInto(memory.metrics),
    onError,
    onLowCounter: warnOfLowCounters(log),
    onFatal,
  });
  const hub: Hub = {
    maxConnections: Infinity,
    memoryShare: 1,
    ...given,
    ...memory,
    awake,
    startedAt: awake.since,
    clock,
    ids: givenIds ?? randomIds(clock),
    publicIds: publicIds(store.idKey),
    store,
    broker,
    hookStates: openHookStates(broker),
    unfinishedBroadcasts: openUnfinishedBroadcasts((...broadcast) => finishBroadcast(hub, ...broadcast), onError),
  };
  return hub;
}
