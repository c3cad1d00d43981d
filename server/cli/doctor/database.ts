// Checks the lock and the database: its identity, schema, integrity and counters, and that no record is in the future.
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, LOCK } from '../../domain/files/data-files.ts';
import { type Finding, fail, ok, warn, wordsOf } from '../../domain/health/finding.ts';
import { clockBehindFinding, sized } from '../../domain/health/findings.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { SECOND_MS, timestamp } from '../../domain/time/time.ts';
import { newestBackupFile } from '../../serve/scheduled-backup.ts';
import { findWrongCounters, type WrongCounter } from '../../store/counts/counters.ts';
import { assertOurs, lossOf, NewerSchema } from '../../store/file/identity.ts';
import { assertIntact, WHOLE } from '../../store/file/integrity.ts';
import { AlreadyRunning, takeLock } from '../../store/file/lock.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { newestMoment } from '../../store/file/newest-moment.ts';
import { onFile } from '../../store/file/open.ts';
import { processWithoutFile } from '../data/running-hub.ts';
import { hintFor } from './data-directory.ts';
import type { Progress } from './progress.ts';

/** `isRunning` is true if a hub on this data directory responded. */
export async function checkLock(data: string, isRunning: boolean): Promise<Finding> {
  const file = join(data, LOCK);
  if (!existsSync(file)) return ok('lock', 'no hub has run here');
  if (!mayUse(file)) return fail('lock', 'this user cannot take it', AS_OWNER);
  try {
    (await takeLock(file)).release();
    return ok('lock', 'free: no hub is running on this data directory');
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) return fail('lock', wordsOf(error), AS_OWNER);
    return isRunning
      ? ok('lock', 'held by the running hub')
      : warn(
          'lock',
          'held by a process that does not respond',
          'wait a moment if it is starting or stopping; otherwise run this as the same user as the hub',
        );
  }
}

/** Reads the whole database, which takes about 8 s for a gigabyte. */
export async function* checkDatabase(data: string, progress: Progress, isRunning = false): AsyncGenerator<Finding> {
  const file = join(data, DATABASE);
  if (isRunning && (await processWithoutFile(data)) !== undefined)
    return yield fail('database', `${file} was deleted or replaced while the hub runs`, RESCUE);
  const loss = mayUse(data) ? lossOf(file, restoring(data)) : undefined;
  if (loss !== undefined) return yield fail('database', loss.says, loss.remedy);
  if (!existsSync(data)) return; // reported as the data directory
  if (!existsSync(file)) return yield noDatabase(data);
  if (!mayUse(file)) return yield fail('database', 'this user cannot read and write it', AS_OWNER);
  try {
    const version = await assertOurs(file);
    yield checkSchema(version);
    const integrity = await checkIntegrity(data, progress);
    yield integrity;
    if (integrity.level !== 'ok') return;
    yield await checkCounters(file, version);
    yield await checkClock(file);
  } catch (error) {
    const remedy = error instanceof NewerSchema ? 'start the agenthub that wrote it, or ' : '';
    yield fail('database', wordsOf(error), `${remedy}${restoring(data)}`);
  }
}

const RESCUE =
  'do not stop the hub, which still has all data: create a backup with agenthub backup, and see "When something is wrong" in OPERATING.md';

const RESTORE = 'restore a backup';

/** Names the newest backup, if there is one in the data directory. */
function restoring(data: string): string {
  const backup = newestBackupFile(data);
  return backup === undefined ? RESTORE : `${RESTORE}: agenthub restore ${backup} --data ${data}`;
}

/** Not an error before the first start, but a mistyped directory looks the same. */
function noDatabase(data: string): Finding {
  if (newestBackupFile(data) !== undefined) return warn('database', `${data} has none, but backups`, restoring(data));
  const remedy = `the first start creates it; if a hub has run here before, ${hintFor(data)}`;
  return warn('database', `${data} has none`, remedy);
}

const AS_OWNER = 'run as the user who owns the data directory';

function mayUse(file: string): boolean {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function checkSchema(version: number): Finding {
  return version === SCHEMA_VERSION
    ? ok('schema', `${version}, current`)
    : ok('schema', `${version}; the next start upgrades it to ${SCHEMA_VERSION}`);
}

async function checkIntegrity(data: string, progress: Progress): Promise<Finding> {
  const file = join(data, DATABASE);
  try {
    const { size } = statSync(file);
    progress.begin(`reading the whole database, ${sized(size)}`, size);
    await assertIntact(file, WHOLE, progress.update).finally(progress.end);
    return ok('integrity', 'every page, index, constraint, text and value is intact');
  } catch (error) {
    return fail('integrity', wordsOf(error), `stop the hub and ${restoring(data)}`);
  }
}

async function checkCounters(file: string, version: number): Promise<Finding> {
  const wrong = await onFile(file, (client) =>
    findWrongCounters(async (sql) => (await client.execute(sql)).rows, version),
  );
  if (wrong.length === 0) return ok('counters', 'each counter matches its rows');
  const remedy =
    version === SCHEMA_VERSION
      ? 'stop the hub and run agenthub doctor --repair'
      : 'start the hub: the upgrade recounts them';
  return fail('counters', wrong.map(describeCounter).join('; '), remedy);
}

export function describeCounter({ name, stored, counted }: WrongCounter): string {
  return `${name} is ${stored}, not ${counted}`;
}

const EARLIEST = Date.UTC(2026, 0, 1);
const LEEWAY_MS = 5 * SECOND_MS;

async function checkClock(file: string): Promise<Finding> {
  const now = systemClock.now();
  const newest = (await newestMoment(file)) ?? 0;
  if (now < EARLIEST)
    return fail(
      'clock',
      `it shows ${timestamp(now)} UTC, which is before this program was built`,
      'set the clock and synchronize it with NTP',
    );
  if (newest > now + LEEWAY_MS) return clockBehindFinding(newest - now);
  return ok('clock', `${timestamp(now)} UTC, past the newest record`);
}
