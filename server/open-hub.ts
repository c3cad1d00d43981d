// Opens a hub: upgrades the database file, then wires clock, ids, store, broker and log.
import { newSetupToken } from './domain/accounts/setup-token.ts';
import { StartError } from './domain/errors.ts';
import { NO_MACHINE } from './domain/health/machine.ts';
import { type Ids, randomIds } from './domain/ids/ids.ts';
import { publicIds } from './domain/ids/public-ids.ts';
import { NOTIFIER_TIMEOUT_MS } from './domain/limits.ts';
import type { Log } from './domain/log.ts';
import { isUsable, machineTime, type TimeSource } from './domain/time/clock.ts';
import { openBroker } from './events/broker.ts';
import { openHookSessions } from './events/hook-sessions.ts';
import { openMemory } from './events/memory.ts';
import { meterInto } from './events/metrics.ts';
import { openTroubles } from './events/troubles.ts';
import { openUnfinishedBroadcasts } from './events/unfinished-broadcasts.ts';
import { logCommitErrors, openLoggedClock, warnOfLowCounters } from './events/warnings.ts';
import type { Given, Hub } from './hub.ts';
import { expireAndMarkOffline } from './operations/expiry.ts';
import { finishBroadcast } from './operations/messages/broadcast.ts';
import { type Outgoing, openOutgoing } from './outgoing/outgoing.ts';
import { type Before, openDatabase } from './store/engine/database.ts';
import { migrate } from './store/file/migrate.ts';
import { newestMoment } from './store/file/newest-moment.ts';

export type HubOptions = Omit<Given, 'maxConnections' | 'memoryShare' | 'machine'> &
  Partial<Given> & {
    databaseFile: string;
    setupToken: string;
    onFatal: (error: unknown) => void;
    time?: TimeSource;
    ids?: Ids;
    outgoing?: Outgoing | undefined;
  };

export async function openHub(options: HubOptions): Promise<Hub> {
  const { databaseFile: file, onFatal, time = machineTime, ids: givenIds, outgoing, setupToken, ...given } = options;
  const { log, settings } = given;
  if (!isUsable(time.wall()))
    throw new StartError('the clock of this machine shows a time after the year 9000; set it, then start again');
  await upgrade(file, log);
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
    machine: NO_MACHINE,
    ...given,
    ...memory,
    awake,
    startedAt: awake.since,
    setup: newSetupToken(setupToken, awake.since),
    clock,
    ids: givenIds ?? randomIds(clock),
    publicIds: publicIds(store.idKey),
    outgoing: outgoing ?? openOutgoing({ addresses: settings.notifier_addresses, timeoutMs: NOTIFIER_TIMEOUT_MS }),
    store,
    troubles: openTroubles(log, clock),
    broker,
    hookSessions: openHookSessions(broker),
    unfinishedBroadcasts: openUnfinishedBroadcasts((...broadcast) => finishBroadcast(hub, ...broadcast), onError),
  };
  return hub;
}

async function upgrade(file: string, log: Log): Promise<void> {
  const done = await migrate(file);
  if (done === undefined) return;
  log.info(done, `upgraded the database from schema ${done.from} to ${done.to}; a copy from before is ${done.copy}`);
}
