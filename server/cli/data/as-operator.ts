// Runs operator operations on a data directory: through the running hub, so that its in-memory state stays current, or
// directly on the database, under the lock that `serve` takes. Commands do not see the difference.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../config/keys.ts';
import { HubError } from '../../domain/errors.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import { randomWord } from '../../domain/ids/ids.ts';
import type { Hub } from '../../hub.ts';
import { BCRYPT_COST, openPasswords } from '../../native/passwords.ts';
import { openHub } from '../../open-hub.ts';
import { type AnyOperatorOperation, performAsOperator } from '../../operations/operator/operator-operation.ts';
import { type DataDirectory, isInUse, openDataDirectory, openWithoutDatabase } from '../../serve/data-directory.ts';
import { assertNotOnPostgres, isRememberedOnPostgres } from '../../serve/on-postgres.ts';
import { assertNoLinks } from '../../serve/private-directory.ts';
import { assertOurs, lossOf } from '../../store/file/identity.ts';
import { AlreadyRunning } from '../../store/file/lock.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { opening } from '../../store/file/open.ts';
import { VERSION } from '../../version.ts';
import { allPages } from '../client/all-pages.ts';
import { CommandError, refusalCode } from '../exit-codes.ts';
import { effectiveConfig } from '../key-options.ts';
import { note } from '../output.ts';
import { askThroughSocket } from './operator-client.ts';
import { isOnPostgres, processWithoutFile } from './running-hub.ts';

export type DataOptions = { data?: string };
/** For a command that works on a file and on a PostgreSQL database. */
export type DatabaseOptions = DataOptions & { database?: string };

export function configOf({ data, database }: DatabaseOptions): Config {
  return effectiveConfig({ ...(data !== undefined && { data }), ...(database !== undefined && { database }) }).config;
}

/** For a command that works on a database file. */
export function fileConfigOf(options: DataOptions): Config {
  const config = configOf(options);
  if (config.database !== undefined)
    throw new CommandError(
      'the data of this hub is in a PostgreSQL database, not in a file: use the tools of PostgreSQL, such as pgBackRest or pg_dump, or agenthub export',
    );
  return config;
}

// Without this check, a mistyped directory would become an empty hub.
export async function assertHolds(data: string): Promise<void> {
  const database = join(data, DATABASE);
  await assertNotDeleted(data);
  if (isRememberedOnPostgres(data) || !existsSync(database)) {
    if (await isOnPostgres(data)) throw elsewhere(data);
    assertNotOnPostgres(data);
  }
  const loss = lossOf(database);
  if (loss !== undefined) throw new CommandError(`${loss.says}; ${loss.remedy}`);
  if (!existsSync(database)) throw noHub(data);
  assertNoLinks(data);
}

/** A hub on PostgreSQL has no database in its data directory, but responds there while it runs. */
async function assertIsThere({ data, database }: Config): Promise<void> {
  if (database !== undefined) return;
  const isOnFile = existsSync(join(data, DATABASE)) && !isRememberedOnPostgres(data);
  if (isOnFile || !(await isOnPostgres(data))) await assertHolds(data);
}

function elsewhere(data: string): CommandError {
  return new CommandError(
    `the hub that runs on ${data} has its data in a PostgreSQL database: name that with AGENTHUB_DATABASE`,
  );
}

function noHub(data: string): CommandError {
  return new CommandError(`there is no hub in ${data}: ${START_IT}`);
}

const START_IT =
  'start it there once with agenthub serve, or name another directory with --data; if its files were deleted under a running hub, see "When something is wrong" in OPERATING.md';

/** The usual advice, to put a backup in its place, would lose what the hub still has. */
async function assertNotDeleted(data: string): Promise<void> {
  if ((await processWithoutFile(data)) === undefined) return;
  throw deletedFile(data, 'create a backup with agenthub backup');
}

export function deletedFile(data: string, remedy: string): CommandError {
  return new CommandError(
    `${join(data, DATABASE)} was deleted or replaced, but the hub that runs there still has all its data: do not stop it; ${remedy}, and see "When something is wrong" in OPERATING.md`,
  );
}

/** Throws a CommandError if the hub refuses the operation. */
export async function asOperator<Result extends object>(
  options: DataOptions,
  operation: AnyOperatorOperation<Result>,
  input: object,
): Promise<Result> {
  const config = configOf(options);
  await assertIsThere(config);
  const reached = await reach<Result>(config, operation.name, input);
  return 'answer' in reached
    ? reached.answer
    : directly(config, reached.stopped, (hub) => performAsOperator(operation, hub, input));
}

/** Returns all pages of a list as one answer. Paging keeps a long list from blocking a running hub. */
export async function listAsOperator<Result extends object>(
  options: DataOptions,
  operation: AnyOperatorOperation<Result>,
  noun: string,
  input: object,
): Promise<Result> {
  const config = configOf(options);
  await assertIsThere(config);
  const first = await reach<Result>(config, operation.name, input);
  if ('stopped' in first) {
    return directly(config, first.stopped, (hub) =>
      allPages(noun, (cursor) => performAsOperator(operation, hub, { ...input, cursor })),
    );
  }
  return allPages(noun, async (cursor) =>
    cursor === undefined ? first.answer : asOperator(options, operation, { ...input, cursor }),
  );
}

/**
 * Records an action that needed no hub, such as a backup, in the audit log of a running hub. Does not open a stopped
 * hub: copying a database must not change it, and opening one expires its overdue tasks. If the hub does not respond,
 * the action remains valid.
 */
export async function recordIfRunning<Result extends object>(
  options: DataOptions,
  operation: AnyOperatorOperation<Result>,
  input: object,
): Promise<void> {
  const { data } = configOf(options);
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      const answer = await askThroughSocket<Result>(data, { operation: operation.name, input }).catch(toCommandError);
      if (answer !== undefined || !(await isInUse(data))) return;
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      return note(`the audit log of the hub has no entry for this: ${error.message}`);
    }
    await sleep(TRY_EVERY_MS);
  }
  note('the running hub did not respond; its audit log has no entry for this');
}

const TRIES = 50;
const TRY_EVERY_MS = 100;

type Reached<Result> = { answer: Result } | { stopped: DataDirectory };

/** Returns the running hub's answer, or the locked directory. Waits for a hub that is starting or stopping. */
async function reach<Result extends object>(
  config: Config,
  operation: string,
  input: object,
): Promise<Reached<Result>> {
  for (let tries = 1; ; tries++) {
    const answer = await askThroughSocket<Result>(config.data, { operation, input }).catch(toCommandError);
    if (answer !== undefined) return { answer };
    const stopped = await openIfStopped(config, tries === TRIES);
    if (stopped !== undefined) return { stopped };
    await sleep(TRY_EVERY_MS);
  }
}

async function openIfStopped({ data, database }: Config, isLastTry: boolean): Promise<DataDirectory | undefined> {
  try {
    return await (database === undefined ? openDataDirectory(data) : openWithoutDatabase(data));
  } catch (error) {
    if (!(error instanceof AlreadyRunning) || isLastTry) throw error;
    return undefined;
  }
}

/** An error of the database, such as a full disk, becomes a StartError. */
async function directly<Result extends object>(
  settings: Config,
  directory: DataDirectory,
  act: (hub: Hub) => Promise<Result>,
): Promise<Result> {
  if (settings.database !== undefined) {
    const { notingWait } = await import('../cluster/wait-note.ts');
    return notingWait(settings.database, withHub(settings, directory, act));
  }
  await assertUpgraded(directory, settings.data);
  return opening(directory.databaseFile, () => withHub(settings, directory, act));
}

/** Opening a hub upgrades its database, and the earlier version could not use it any more: only a start does that. */
async function assertUpgraded({ databaseFile, lock }: DataDirectory, data: string): Promise<void> {
  if (!existsSync(databaseFile)) throw noHub(data); // the hub that has just stopped had its data elsewhere
  const schema = await assertOurs(databaseFile);
  if (schema === SCHEMA_VERSION || schema === 0) return;
  lock.release();
  throw new CommandError(
    `the database in ${data} has schema ${schema}, and this version of agenthub has ${SCHEMA_VERSION}: start the hub, which keeps a copy and upgrades it, or use the version that it belongs to`,
  );
}

async function withHub<Result extends object>(
  { database, ...settings }: Config,
  { databaseFile, lock }: DataDirectory,
  act: (hub: Hub) => Promise<Result>,
): Promise<Result> {
  const passwords = openPasswords({ cost: BCRYPT_COST });
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const hub = await openHub({
    version: VERSION,
    settings,
    database: database ?? databaseFile,
    setupToken: randomWord(24),
    passwords,
    log: SILENT,
    onFatal,
  });
  try {
    return await act(hub).catch(toCommandError);
  } finally {
    await hub.store.close();
    await passwords.close();
    lock.release();
  }
}

const SILENT = { isLevelEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

function toCommandError(error: unknown): never {
  if (!(error instanceof HubError)) throw error;
  throw new CommandError(error.message, refusalCode(error.code), error.code);
}
