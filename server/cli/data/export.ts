// export: everything of the hub as JSON lines, while it runs or not. This process reads them, as one more reader of the
// file.
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { EXPORT_FORMAT, writeLine } from '../../domain/files/export-line.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { isoTime } from '../../domain/time/time.ts';
import { giveWay } from '../../native/own-process.ts';
import { recordAct } from '../../operations/operator/record-act.ts';
import { assertOurs } from '../../store/file/identity.ts';
import { assertSound, WHOLE } from '../../store/file/integrity.ts';
import { readAllRows } from '../../store/file/rows.ts';
import { VERSION } from '../../version.ts';
import { CommandError } from '../exit-codes.ts';
import { note } from '../output.ts';
import { assertHolds, configOf, type DataOptions, recordIfRunning } from './as-operator.ts';
import { assertFree } from './backup.ts';

export async function exportHub(given: string | undefined, options: DataOptions & { force?: true }): Promise<void> {
  process.umask(0o077);
  giveWay(); // to a hub that serves
  const { data } = configOf(options);
  assertHolds(data);
  const isToScreen = given === undefined || given === '-';
  const file = isToScreen ? '-' : resolve(given);
  if (!isToScreen) assertFree(file, data, options.force === true);
  const database = join(data, DATABASE);
  const schema = await assertOurs(database);
  await assertSound(database, WHOLE); // a text that is no UTF-8 would end the process
  const rows = isToScreen ? await writeTo(toScreen, database, schema) : await writeToFile(file, database, schema);
  await recordIfRunning(options, recordAct, {
    action: 'hub.export',
    detail: `${rows} rows to ${isToScreen ? 'standard output' : file}`,
  });
  note(
    `exported ${rows} rows${isToScreen ? '' : ` to ${file}`}; they hold the hashes of passwords and tokens, so keep them as you keep the hub`,
  );
}

type Write = (text: string) => Promise<void>;

const toScreen: Write = async (text) => {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
};

const PIECE = 64 * 1024;

/** Answers how many rows there were. */
async function writeTo(write: Write, database: string, schema: number): Promise<number> {
  let number = 1;
  let piece = writeLine(number, {
    agenthub: 'export',
    format: EXPORT_FORMAT,
    schema,
    version: VERSION,
    exported_at: isoTime(systemClock.now()),
  });
  for await (const row of readAllRows(database)) {
    piece += writeLine(++number, row);
    if (piece.length < PIECE) continue;
    await write(piece);
    piece = '';
  }
  const rows = number - 1;
  await write(piece + writeLine(++number, { end: true, rows }));
  return rows;
}

/** Renamed into place when it is whole. */
async function writeToFile(path: string, database: string, schema: number): Promise<number> {
  const draft = join(dirname(path), `.${basename(path)}.part-${process.pid}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      const rows = await writeTo(async (text) => void (await file.writeFile(text)), database, schema);
      await file.sync();
      renameSync(draft, path);
      return rows;
    } finally {
      await file.close();
    }
  } catch (error) {
    rmSync(draft, { force: true });
    throw error instanceof Error && 'syscall' in error
      ? new CommandError(`cannot write ${path} (${'code' in error ? String(error.code) : error.message})`)
      : error;
  }
}
