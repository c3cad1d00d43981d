// export: writes all data of the hub as JSON lines, with the hub running or stopped. This process reads the database
// file as one more reader.
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { EXPORT_FORMAT, writeLine } from '../../domain/files/export-line.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { isoTime } from '../../domain/time/time.ts';
import { lowerPriority } from '../../native/own-process.ts';
import { recordAction } from '../../operations/operator/record-action.ts';
import { isReadOnly } from '../../serve/private-directory.ts';
import { assertOurs } from '../../store/file/identity.ts';
import { assertIntact, WHOLE } from '../../store/file/integrity.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { EXCLUDED, type NamedRow, readAllRows } from '../../store/file/rows.ts';
import { VERSION } from '../../version.ts';
import { CommandError } from '../exit-codes.ts';
import { note } from '../output.ts';
import { assertHolds, configOf, type DatabaseOptions, recordIfRunning } from './as-operator.ts';
import { assertUsable } from './backup.ts';
import { withProgress } from './progress.ts';

export async function exportHub(given: string | undefined, options: DatabaseOptions & { force?: true }): Promise<void> {
  process.umask(0o077);
  lowerPriority(); // to a running hub
  const { data, database } = configOf(options);
  if (database === undefined) await assertHolds(data);
  const isToStdout = given === undefined || given === '-';
  const file = isToStdout ? '-' : resolve(given);
  if (!isToStdout) assertUsable(file, data, options.force === true);
  const source = database === undefined ? await sourceIn(data) : await sourceAt(database);
  const rows = isToStdout ? await writeTo(toStdout, source) : await writeToFile(file, source);
  await recordIfRunning(options, recordAction, {
    action: 'hub.export',
    detail: `${rows} rows to ${isToStdout ? 'standard output' : file}`,
  });
  note(
    `exported ${rows} rows${isToStdout ? '' : ` to ${file}`}; the export contains the hashes of passwords and tokens, so protect it like the hub itself`,
  );
}

type Source = { schema: number; rows: AsyncIterable<NamedRow> };

async function sourceIn(data: string): Promise<Source> {
  assertReadable(data);
  const file = join(data, DATABASE);
  const schema = await assertOurs(file);
  await assertIntact(file, WHOLE); // text that is not UTF-8 would crash the process
  return { schema, rows: readAllRows(file) };
}

async function sourceAt(database: string): Promise<Source> {
  const { readRowsOn } = await import('../../store/engine/postgres/rows.ts');
  return { schema: SCHEMA_VERSION, rows: readRowsOn(database, EXCLUDED) };
}

/** Reading a database in WAL mode writes to its directory. */
function assertReadable(data: string): void {
  if (!isReadOnly(data)) return;
  throw new CommandError(
    `the file system of ${data} is mounted read-only, and reading a database needs a file there; copy ${DATABASE} and ${DATABASE}-wal to another directory with cp, and export that with --data`,
  );
}

type Write = (text: string) => Promise<void>;

const toStdout: Write = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const CHUNK_CHARACTERS = 64 * 1024;

/** Returns the number of rows. */
async function writeTo(write: Write, { schema, rows: source }: Source): Promise<number> {
  let number = 1;
  let chunk = writeLine(number, {
    agenthub: 'export',
    format: EXPORT_FORMAT,
    schema,
    version: VERSION,
    exported_at: isoTime(systemClock.now()),
  });
  for await (const row of withProgress(source, 'exporting')) {
    chunk += writeLine(++number, row);
    if (chunk.length < CHUNK_CHARACTERS) continue;
    await write(chunk);
    chunk = '';
  }
  const rows = number - 1;
  await write(chunk + writeLine(++number, { end: true, rows }));
  return rows;
}

/** Writes a temporary file and renames it when it is complete. */
async function writeToFile(path: string, source: Source): Promise<number> {
  const temporary = join(dirname(path), `.${basename(path)}.part-${process.pid}`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      const rows = await writeTo(async (text) => void (await file.writeFile(text)), source);
      await file.sync();
      renameSync(temporary, path);
      return rows;
    } finally {
      await file.close();
    }
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error instanceof Error && 'syscall' in error
      ? new CommandError(`cannot write ${path} (${'code' in error ? String(error.code) : error.message})`)
      : error;
  }
}
