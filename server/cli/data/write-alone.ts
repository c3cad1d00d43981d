// Writes to the database of a hub that does not run, for commands that hold its lock.
import { systemClock } from '../../domain/time/clock.ts';
import { openFile } from '../../store/engine/libsql/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';

/** Runs `work` in one transaction and closes the database. Throws what `work` throws. */
export async function writeAlone<Result>(file: string, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  const store = await openFile({
    database: file,
    clock: systemClock,
    publish: () => {},
    onError: rethrow,
    onFatal: rethrow,
  });
  try {
    return await store.write(work);
  } finally {
    await store.close();
  }
}

const rethrow = (error: unknown): never => {
  throw error;
};
