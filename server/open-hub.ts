// Opens a hub: upgrades the database file, then wires clock, ids, store, broker and log.
import { newSetupToken } from './domain/accounts/setup-token.ts';
import { StartError } from './domain/errors.ts';
import { NO_MACHINE } from './domain/health/machine.ts';
import { type Ids, randomIds } from './domain/ids/ids.ts';
import { publicIds } from './domain/ids/public-ids.ts';
import { NOTIFIER_TIMEOUT_MS } from './domain/limits.ts';
import type { Log } from './domain/log.ts';
import { isPostgres } from './domain/postgres-url.ts';
import { isUsable, type Millis, machineTime, type TimeSource } from './domain/time/clock.ts';
import { openBroker } from './events/broker.ts';
import { openHookSessions } from './events/hook-sessions.ts';
import { openMemory } from './events/memory.ts';
import { meterInto } from './events/metrics.ts';
import { openTroubles } from './events/troubles.ts';
import { openUnfinishedBroadcasts } from './events/unfinished-broadcasts.ts';
import { logCommitErrors, openLoggedClock, warnOfLowCounters } from './events/warnings.ts';
import type { Given, Hub } from './hub.ts';
import { endForeignRevoked } from './operations/access/watch-access.ts';
import { expireAndMarkOffline } from './operations/expiry.ts';
import { finishBroadcast } from './operations/messages/broadcast.ts';
import { type Outgoing, openOutgoing } from './outgoing/outgoing.ts';
import type { Before } from './store/engine/database.ts';
import { openDatabase } from './store/engine/open-database.ts';
import { serverTime } from './store/engine/postgres/server-time.ts';
import { migrate } from './store/file/migrate.ts';
import { newestMoment } from './store/file/newest-moment.ts';

export type HubOptions = Omit<Given, 'maxConnections' | 'memoryShare' | 'machine'> &
  Partial<Given> & {
    /** The name of a file, or the URL of a PostgreSQL database. */
    database: string;
    /** The name under which other hubs on the database list this one; undefined for a command. */
    name?: string;
    setupToken: string;
    onFatal: (error: unknown) => void;
    /** Called once when an operator has asked this hub to stop. */
    onDrain?: () => void;
    time?: TimeSource;
    ids?: Ids;
    outgoing?: Outgoing | undefined;
  };

export async function openHub(options: HubOptions): Promise<Hub> {
  const { database, name, onFatal, onDrain = () => {}, time: machine = machineTime, ...more } = options;
  const { ids: givenIds, outgoing, setupToken, ...given } = more;
  const { log, settings, version } = given;
  if (!isUsable(machine.wall()))
    throw new StartError('the clock of this machine shows a time after the year 9000; set it, then start again');
  const { newest, time, followServer } = await prepared(database, log, machine, name === undefined);
  const awake = { since: 0 };
  const clock = openLoggedClock(time, newest, log, (now) => void (awake.since = now));
  awake.since = clock.now();
  const onError = logCommitErrors(log, clock);
  const broker = openBroker(onError);
  const memory = openMemory();
  const before: Before = (tx, networks) => expireAndMarkOffline({ settings, awake, ...memory }, tx, networks);
  const store = await openDatabase({
    database,
    clock,
    self: name === undefined ? undefined : { name, version, streams: () => memory.openStreams.count() },
    elapsed: time.monotonic,
    log: name === undefined ? undefined : log,
    before,
    publish: broker.publish,
    isHeard: broker.isHeard,
    meter: meterInto(memory.metrics),
    onError,
    onShared: ({ now, othersStoredUntil }) => {
      followServer(now);
      memory.heartbeats.followOthers(othersStoredUntil);
    },
    onGossip: memory.exchange.receive,
    onDrain,
    // Clients continue at a hub that hears it.
    onDeaf: () => memory.openStreams.end(),
    onForeignRights: () => void endForeignRevoked(hub).catch(onError),
    onLowCounter: warnOfLowCounters(log),
    onFatal,
  });
  memory.exchange.tell = store.tell;
  const hub: Hub = {
    maxConnections: Infinity,
    memoryShare: 1,
    machine: NO_MACHINE,
    ...given,
    ...memory,
    awake,
    startedAt: awake.since,
    setup: newSetupToken(setupToken, awake.since, store.cluster && store.idKey),
    clock,
    ids: givenIds ?? randomIds(clock),
    publicIds: publicIds(store.idKey),
    outgoing: outgoing ?? openOutgoing({ addresses: settings.notifier_addresses, timeoutMs: NOTIFIER_TIMEOUT_MS }),
    store,
    troubles: openTroubles(log, clock),
    broker,
    hookSessions: openHookSessions(broker, memory.exchange),
    unfinishedBroadcasts: openUnfinishedBroadcasts((...broadcast) => finishBroadcast(hub, ...broadcast), onError),
  };
  return hub;
}

type Start = {
  /** The newest moment in the database. */
  newest: Millis | undefined;
  time: TimeSource;
  followServer: (now: Millis) => void;
};

/** Brings the database to the schema of this version. Several hubs follow the clock of their server. */
async function prepared(database: string, log: Log, machine: TimeSource, isCommand: boolean): Promise<Start> {
  if (!isPostgres(database)) {
    await upgrade(database, log);
    return { newest: await newestMoment(database), time: machine, followServer: () => {} };
  }
  const { prepare } = await import('./store/engine/postgres/prepare.ts');
  const { now, newest } = await prepare(database, isCommand ? {} : { log });
  if (machine !== machineTime) return { newest, time: machine, followServer: () => {} };
  const time = serverTime(machine, now);
  return { newest, time, followServer: time.follow };
}

async function upgrade(file: string, log: Log): Promise<void> {
  const done = await migrate(file);
  if (done === undefined) return;
  log.info(done, `upgraded the database from schema ${done.from} to ${done.to}; a copy from before is ${done.copy}`);
}
