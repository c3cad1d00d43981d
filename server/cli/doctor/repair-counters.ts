// doctor --repair: recounts the counters in the database of a stopped hub.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/keys.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { auditOperator } from '../../operations/operator/operator-operation.ts';
import { claimDataDirectory } from '../../serve/data-directory.ts';
import { recount, type WrongCounter } from '../../store/counts/counters.ts';
import { assertOurs } from '../../store/file/identity.ts';
import { assertIntact, WHOLE } from '../../store/file/integrity.ts';
import { AlreadyRunning, type Lock } from '../../store/file/lock.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { opening } from '../../store/file/open.ts';
import { assertHolds } from '../data/as-operator.ts';
import { isOnPostgres } from '../data/running-hub.ts';
import { writeAlone } from '../data/write-alone.ts';
import { CommandError } from '../exit-codes.ts';
import { type OutputOptions, sayAnswer } from '../output.ts';
import { describeCounter } from './database.ts';

type Repaired = { ok: true; database: string; corrected: readonly WrongCounter[] };

export async function repairCounters(config: Config, options: OutputOptions): Promise<void> {
  const { data } = config;
  if (config.database !== undefined || (!existsSync(join(data, DATABASE)) && (await isOnPostgres(data))))
    throw new CommandError('doctor --repair recounts the counters of a database file, not those on PostgreSQL');
  await assertHolds(data);
  const lock = await claimStopped(data);
  try {
    const database = join(data, DATABASE);
    await assertRepairable(database);
    sayAnswer<Repaired>(
      options,
      { ok: true, database, corrected: await opening(database, () => repair(database)) },
      describe,
    );
  } finally {
    lock.release();
  }
}

async function claimStopped(data: string): Promise<Lock> {
  try {
    return (await claimDataDirectory(data)).lock;
  } catch (error) {
    if (!(error instanceof AlreadyRunning)) throw error;
    throw new CommandError(`a hub is running on ${data}; stop it, then run agenthub doctor --repair again`);
  }
}

async function assertRepairable(database: string): Promise<void> {
  const version = await assertOurs(database);
  if (version < SCHEMA_VERSION)
    throw new CommandError(`${database} has schema ${version}; start the hub: the upgrade recounts its counters`);
  await assertIntact(database, WHOLE);
}

async function repair(file: string): Promise<WrongCounter[]> {
  return writeAlone(file, async (tx) => {
    const corrected = await recount(tx);
    if (corrected.length > 0)
      await auditOperator(tx, { action: 'hub.repair', target: ['hub', null], detail: `counters: ${corrected.length}` });
    return corrected;
  });
}

function describe({ corrected }: Repaired): string {
  if (corrected.length === 0) return 'every counter matches its rows; nothing was changed';
  return corrected.map((counter) => oneLine(`corrected: ${describeCounter(counter)}`)).join('\n');
}
