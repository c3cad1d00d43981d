// Puts another database in the place of the one in a data directory where no hub runs, as restore and import do. It is
// made and checked beside the old one, which is kept; until it is whole, nothing has changed.
import { existsSync, rmSync } from 'node:fs';
import { compactTime } from '../../domain/files/backup.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { auditOperator } from '../../operations/operator/operator-operation.ts';
import { claimDataDirectory } from '../../serve/data-directory.ts';
import { recount } from '../../store/counts/counters.ts';
import { openDatabase } from '../../store/engine/database.ts';
import { giveToOwnerOf } from '../../store/file/on-disk.ts';
import { emptyLog, replaceDatabase } from '../../store/file/replace.ts';
import { type Contents, countContents, renewEpoch } from '../../store/whole-hub.ts';

export type Installed = Contents & {
  database: string;
  /** How many counters did not equal their rows, and were recounted. */
  counters_corrected: number;
  /** Where the old database is, if there was one. */
  kept: string | null;
};

type Placing = {
  data: string;
  /** Fills the file, to the newest schema. */
  make: (draft: string) => Promise<void>;
  /** For the audit log. */
  action: 'hub.restore' | 'hub.import';
  detail: string;
};

export async function installDatabase({ data, make, action, detail }: Placing): Promise<Installed> {
  const isNew = !existsSync(data);
  const { databaseFile: database, lock } = await claimDataDirectory(data);
  const draft = `${database}.new`;
  try {
    removeDatabase(draft);
    await make(draft);
    const begun = await beginAnew(draft, { action, detail });
    if (existsSync(database)) await emptyLog(database).catch(() => {}); // a damaged one keeps its log, which is kept with it
    const kept = replaceDatabase(database, draft, `${database}.before-${compactTime(systemClock.now())}`);
    giveToOwnerOf(data, database);
    return { ...begun, database, kept: kept ?? null };
  } catch (error) {
    removeDatabase(draft);
    if (isNew) rmSync(data, { recursive: true, force: true });
    throw error;
  } finally {
    lock.release();
  }
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${file}${suffix}`, { force: true });
}

const end = (error: unknown): never => {
  throw error;
};

async function beginAnew(
  file: string,
  { action, detail }: Pick<Placing, 'action' | 'detail'>,
): Promise<Omit<Installed, 'database' | 'kept'>> {
  const store = await openDatabase({ file, clock: systemClock, publish: () => {}, onError: end, onFatal: end });
  try {
    return await store.write(async (tx) => {
      await renewEpoch(tx);
      const corrected = await recount(tx);
      await auditOperator(tx, { action, target: ['hub', null], detail });
      return { ...(await countContents(tx)), counters_corrected: corrected.length };
    });
  } finally {
    await store.close();
  }
}
