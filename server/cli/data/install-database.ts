// Replaces the database of a stopped hub, for restore and import. The new database is created and verified next to the
// old one, which is kept. Nothing changes until the new one is complete.
import { existsSync, rmSync, statSync } from 'node:fs';
import { compactTime } from '../../domain/files/backup.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { auditOperator } from '../../operations/operator/operator-operation.ts';
import { claimDataDirectory } from '../../serve/data-directory.ts';
import { forgetPostgres } from '../../serve/on-postgres.ts';
import { recount } from '../../store/counts/counters.ts';
import { giveToOwnerOf } from '../../store/file/on-disk.ts';
import { emptyLog, replaceDatabase } from '../../store/file/replace.ts';
import { type Contents, countContents, renewEpoch } from '../../store/whole-hub.ts';
import { writeAlone } from './write-alone.ts';

export type Installed = Contents & {
  database: string;
  /** The number of counters that did not match their rows and were recounted. */
  counters_corrected: number;
  /** The path of the old database, if there was one, or of its log if only that was left. */
  kept: string | null;
};

type Installation = {
  data: string;
  /** Creates the database in this file, with the newest schema. */
  create: (file: string) => Promise<void>;
  /** For the audit log. */
  action: 'hub.restore' | 'hub.import';
  detail: string;
};

export async function installDatabase({ data, create, action, detail }: Installation): Promise<Installed> {
  const isNew = !existsSync(data);
  const { databaseFile: database, lock } = await claimDataDirectory(data);
  const temporary = `${database}.new`;
  try {
    removeDatabase(temporary);
    await create(temporary);
    const contents = await startNewEpoch(temporary, { action, detail });
    // A damaged database keeps its log, which is kept along with it. SQLite would delete the log of an empty file.
    if (isFilled(database)) await emptyLog(database).catch(() => {});
    const kept = replaceDatabase(database, temporary, `${database}.before-${compactTime(systemClock.now())}`);
    giveToOwnerOf(data, database);
    forgetPostgres(data);
    return { ...contents, database, kept: kept ?? null };
  } catch (error) {
    removeDatabase(temporary);
    if (isNew) rmSync(data, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(`${temporary}-reserve`, { force: true }); // its writes have kept space, as those of a hub do
    lock.release();
  }
}

function isFilled(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

async function startNewEpoch(
  file: string,
  { action, detail }: Pick<Installation, 'action' | 'detail'>,
): Promise<Omit<Installed, 'database' | 'kept'>> {
  return writeAlone(file, async (tx) => {
    await renewEpoch(tx);
    const corrected = await recount(tx);
    await auditOperator(tx, { action, target: ['hub', null], detail });
    return { ...(await countContents(tx)), counters_corrected: corrected.length };
  });
}
