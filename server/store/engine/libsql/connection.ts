// A connection to the database file, with the settings that durability depends on. It uses the driver directly, because
// @libsql/client does not keep statements prepared (see statements.ts).
import Driver from 'libsql';
import { StartError } from '../../../domain/errors.ts';
import { openOrFail } from '../../file/open.ts';
import { openCommits } from './commits.ts';
import { type Statements, statementsOn } from './statements.ts';

// journal_mode and synchronous: an acknowledged write survives a power cut. trusted_schema and cell_size_check: a
// damaged or foreign file fails early. journal_size_limit: the log file shrinks again after a burst.
// wal_autocheckpoint: off, see checkpoints.ts.
export const RECIPE = {
  journal_mode: 'wal',
  synchronous: 2,
  foreign_keys: 1,
  temp_store: 2,
  trusted_schema: 0,
  cell_size_check: 1,
  cache_size: -16_000,
  journal_size_limit: 67_108_864,
  wal_autocheckpoint: 0,
} as const;

export type Connection = {
  statements: Statements;
  /** Runs `work` in a transaction. Commits when it resolves and rolls back when it rejects. */
  transaction<T>(mode: 'DEFERRED' | 'IMMEDIATE', work: () => Promise<T>): Promise<T>;
  close(): void;
};

/** Applies every setting and reads it back; throws if one did not take effect. */
export function connect(file: string, recipe: Record<string, string | number>): Connection {
  const driver = openOrFail(file, () => new Driver(file));
  const statements = statementsOn(driver);
  try {
    for (const [name, wanted] of Object.entries(recipe)) set(statements, name, wanted);
  } catch (error) {
    driver.close();
    throw error;
  }
  const commits = openCommits(driver);
  return {
    statements,
    transaction: async (mode, work) => {
      statements.exec(`BEGIN ${mode}`);
      try {
        const result = await work();
        if (mode === 'IMMEDIATE') await commits.commit();
        else statements.exec('COMMIT'); // a read does not wait for the disk
        return result;
      } finally {
        // After some failures SQLite has rolled back already.
        if (driver.inTransaction) statements.exec('ROLLBACK');
      }
    },
    close: () => void driver.close(),
  };
}

function set(statements: Statements, name: string, wanted: string | number): void {
  statements.exec(`PRAGMA ${name} = ${wanted}`);
  const [found] = Object.values(statements.first<Record<string, unknown>>(`PRAGMA ${name}`, []) ?? {});
  if (found !== wanted)
    throw new StartError(`the database refused PRAGMA ${name} = ${wanted} (it is ${String(found)})`);
}
