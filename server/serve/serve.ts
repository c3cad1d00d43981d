// The second part of `serve`, from the database on: opens the hub, serves requests, and shuts down gracefully.
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Effective } from '../config/config.ts';
import type { Config } from '../config/keys.ts';
import { isEncryptedByProxy, isOpenToOthers } from '../domain/addresses.ts';
import { BACKUPS, LOCK } from '../domain/files/data-files.ts';
import { isBackupFile } from '../domain/health/machine.ts';
import { randomWord } from '../domain/ids/ids.ts';
import { createApp } from '../http/app.ts';
import { createOperatorApi } from '../http/operator-api.ts';
import type { Hub } from '../hub.ts';
import { readAsset } from '../native/assets.ts';
import { tuneGarbageCollection } from '../native/garbage-collection.ts';
import { BCRYPT_COST, openPasswords } from '../native/passwords.ts';
import { openHub } from '../open-hub.ts';
import { bootstrapAdmin } from '../operations/accounts/bootstrap-admin.ts';
import { isSetupGuarded } from '../operations/accounts/first-admin.ts';
import { perform } from '../operations/operation.ts';
import { health } from '../operations/records/health.ts';
import { giveToOwnerOf } from '../store/file/on-disk.ts';
import { scheduleSweeps } from '../sweeps/schedule.ts';
import { VERSION } from '../version.ts';
import { clickableUrls, localUrl } from './addresses.ts';
import { banner, logListening, placeIn, recommendQuotas } from './banner.ts';
import { compareSettings } from './compare-settings.ts';
import { openDataDirectory, openWithoutDatabase } from './data-directory.ts';
import type { Listener } from './listener/listener.ts';
import { watchLock } from './lock-watch.ts';
import { connectionLog } from './log/connection-log.ts';
import { logFatal } from './log/fatal.ts';
import { openLog } from './log/log.ts';
import { openRecentLog } from './log/recent-log.ts';
import { openMachine } from './machine/machine.ts';
import { memoryLimit, memoryShareOf } from './machine/memory.ts';
import { watchResources } from './machine/resource-watch.ts';
import { openSystemd } from './machine/systemd.ts';
import { rememberPostgres } from './on-postgres.ts';
import { type OperatorSocket, openOperatorSocket } from './operator-socket.ts';
import { openPortFile } from './port-file.ts';
import { filesIn } from './private-directory.ts';
import { openReload } from './reload.ts';
import { newestBackup, scheduleBackups } from './scheduled-backup.ts';
import { factsOf, graceSeconds, type Stop, serveForGrace, stopOnce } from './stopping.ts';
import { surviveUnexpected } from './unexpected-errors.ts';

const EXIT_FATAL = 70; // EX_SOFTWARE

const ENCRYPTED_BY_PROXY =
  'the hub serves plain HTTP on this address: https must come from the reverse proxy that trust_proxy declares; let only the proxy reach this port';
const REOPENED = 'agenthub.sock was deleted while the hub runs; the hub has created it again';
const LOG_LEFT =
  'the disk is full: the newest data stays in agenthub.db-wal, where the next start reads it; keep that file. Heartbeats since the disk was full are not stored';

/** `readAgain` reads the configuration from the same sources; the data of an ephemeral hub is deleted at its exit. */
export type Start = Pick<Effective, 'config' | 'warnings'> & { readAgain: () => Effective; isEphemeral: boolean };

export async function serve({ config, warnings, readAgain, isEphemeral }: Start, listener: Listener): Promise<void> {
  nameProcess();
  tuneGarbageCollection();
  const exitOnFailure = (error: unknown): never => exitFatally(config, error);
  const directory =
    config.database === undefined ? await openDataDirectory(config.data) : await openWithoutDatabase(config.data);
  const portFile = openPortFile(config.port_file);
  const { admin_username, admin_password, database = directory.databaseFile, ...settings } = config;
  const recentLog = openRecentLog();
  const listening = { ...config, port: listener.port };
  const [consoleUrl = localUrl(listening)] = clickableUrls(listening);
  const { log, setLevel } = await openLog(config, recentLog.add);
  const drained = Promise.withResolvers<void>();
  const name = `${hostname()}:${listener.port}`;
  const hub = await openHub({
    version: VERSION,
    settings,
    database,
    name,
    url: localUrl(listening),
    consoleUrl: config.public_url ?? consoleUrl,
    maxConnections: listener.maxConnections,
    memoryShare: memoryShareOf(memoryLimit()),
    setupToken: randomWord(24),
    passwords: openPasswords({ cost: BCRYPT_COST }),
    log,
    machine: openMachine(config, listener, recentLog.list),
    onFatal: exitOnFailure,
    onDrain: drained.resolve,
  });
  surviveUnexpected(hub);
  if (config.database !== undefined) {
    rememberPostgres(config.data, config.database);
    compareSettings(hub, name);
  }
  listener.watch(connectionLog(hub));
  if (!directory.isChecked)
    hub.log.warn(
      { database: directory.databaseFile },
      'the database is too large for a full integrity check at every start; agenthub doctor runs one',
    );
  if (directory.isNew) {
    giveToOwnerOf(config.data, ...filesIn(config.data));
    const backup = newestBackup(config.data);
    if (isBackupFile(backup) || backup === 'unreadable')
      hub.log.warn(
        { database: directory.databaseFile, backups: join(config.data, BACKUPS) },
        'there was no database, so the hub is empty; to continue with a backup, stop the hub and run agenthub restore',
      );
    else if (directory.isUsed)
      hub.log.warn(
        { database: directory.databaseFile },
        'there was no database, although a hub has been started here before, so the hub is empty',
      );
  }
  const app = createApp(hub, readAsset('console.pack'));
  const backups = scheduleBackups(config);
  const schedule = scheduleSweeps(hub, {
    forgetAddresses: async () => ({ addresses: app.limits.sweep() }),
    backUp: backups.run,
  });
  const operator = await openOperatorApi(hub, config.data);
  const systemd = openSystemd(hub.log);
  const watch = watchResources(hub);
  const lock = watchLock(join(config.data, LOCK), directory.lock, hub.log);
  const stop = async (why: Stop): Promise<void> => {
    const seconds = graceSeconds(why, config.drain_seconds);
    systemd.stopping(seconds);
    hub.troubles.report('stopping', true);
    await serveForGrace(why, { seconds, log, leave: listener.leave, endStreams: app.streams.endAll });
    log.info(factsOf(why), `agenthub is shutting down on ${why.cause}; open requests have three seconds`);
    hub.life.isStopping = true;
    portFile.remove();
    const finished = Promise.all([listener.stop(), operator?.stop()]);
    app.streams.endAll(); // the listener would wait for them forever
    app.mcp.endAll();
    backups.stop();
    watch.stop();
    await finished;
    await schedule.stop();
    hub.outgoing.close();
    await hub.unfinishedBroadcasts.waitForAll();
    await hub.store.close(() => hub.log.warn({}, LOG_LEFT));
    lock.release();
    hub.log.info({}, 'agenthub has stopped');
  };
  stopOnce(stop, drained.promise, exitOnFailure);
  if (admin_username !== undefined && admin_password !== undefined)
    await bootstrapAdmin(hub, { username: admin_username, password: admin_password });
  listener.answer(app.koa.callback(), app.readsBody);
  if (!process.stdout.isTTY) process.on('SIGHUP', openReload({ config, readAgain, listener, log, setLevel }));
  for (const warning of warnings) hub.log.warn({}, warning);
  if (isEncryptedByProxy(config)) hub.log.info({ host: config.host }, ENCRYPTED_BY_PROXY);
  recommendQuotas(hub.log, config, isOpenToOthers(config));
  await announce(hub, config, listener.port, isEphemeral);
  portFile.write(listener.port);
  systemd.ready();
}

/** Linux shows the name of the main thread, which Node names `node-MainThread`. */
function nameProcess(): void {
  try {
    writeFileSync('/proc/self/comm', 'agenthub');
  } catch {
    // another system, or /proc is not mounted
  }
}

/** Some file systems do not support sockets. The hub then runs without one, and commands require it to be stopped. */
async function openOperatorApi(hub: Hub, data: string): Promise<OperatorSocket | undefined> {
  try {
    return await openOperatorSocket(data, createOperatorApi(hub).callback(), (file) =>
      hub.log.warn({ file }, REOPENED),
    );
  } catch (error) {
    hub.log.warn({ err: error }, 'commands cannot reach the running hub: cannot create a socket in the data directory');
    return undefined;
  }
}

// After a failed commit or on a damaged file, the hub can no longer guarantee that data is stored; a restart recovers
// or reports the cause.
function exitFatally(config: Config, error: unknown): never {
  const message = `the database failed (${textOf(error)}); exiting, a restart recovers or reports the cause`;
  logFatal(config, { message });
  process.stderr.write(`agenthub: ${message}\n`);
  process.exit(EXIT_FATAL);
}

/** The code and message of SQLite: some errors have their code in the message, others only in a separate field. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  return 'code' in error && !message.startsWith(String(error.code)) ? `${String(error.code)}: ${message}` : message;
}

async function announce(hub: Hub, config: Config, port: number, isEphemeral: boolean): Promise<void> {
  const { setup } = await perform(health, hub, { ip: 'hub' }, {});
  const { data, public_url: publicUrl } = config;
  const setupToken = isSetupGuarded(config) ? hub.setup.token : undefined;
  const listening = {
    version: VERSION,
    urls: clickableUrls({ ...config, port }),
    publicUrl,
    data,
    place: hub.store.cluster && placeIn(hub.store.cluster),
    isEphemeral,
    isEmpty: setup !== 'done',
    setupToken,
  };
  if (process.stdout.isTTY) process.stdout.write(banner(listening));
  else logListening(hub.log, listening);
}
