// import: creates a hub from the lines of an export. The first invalid line stops the import, which reports its number
// and changes nothing.
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { BadLine, readFirstLine, readLine } from '../../domain/files/export-line.ts';
import { shownParts } from '../../domain/postgres-url.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { lossOf } from '../../store/file/identity.ts';
import { assertIntact, WHOLE } from '../../store/file/integrity.ts';
import { applyMigrations } from '../../store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { assertNumbersLeft } from '../../store/file/numbers-left.ts';
import { type RowWriter, readAllRows, writeAllRows } from '../../store/file/rows.ts';
import { CommandError } from '../exit-codes.ts';
import { type OutputOptions, sayAnswer } from '../output.ts';
import { configOf, type DatabaseOptions } from './as-operator.ts';
import { type Installed, installDatabase } from './install-database.ts';
import { withProgress } from './progress.ts';
import { described } from './restore.ts';

export async function importHub(
  given: string,
  options: DatabaseOptions & OutputOptions & { replace?: true },
): Promise<void> {
  const { data, database } = configOf(options);
  const source = given === '-' ? 'standard input' : resolve(given);
  if (given !== '-') assertFile(source);
  if (database !== undefined) return importInto(database, given, source, options);
  if (existsSync(join(data, DATABASE)) && !options.replace) {
    throw new CommandError(
      `${data} already contains a hub; choose another directory with --data, or replace the hub with --replace`,
    );
  }
  const loss = lossOf(join(data, DATABASE));
  if (loss !== undefined && !options.replace) {
    throw new CommandError(`${loss.says}; ${loss.remedy}, or import with --replace, which keeps the log`);
  }
  const placed = await place(data, given, source);
  sayAnswer(options, { ok: true, file: source, ...placed }, () => `imported ${oneLine(source)}: ${described(placed)}`);
}

function assertFile(source: string): void {
  const found = statSync(source, { throwIfNoEntry: false });
  if (found === undefined) throw new CommandError(`there is no file ${source}`);
  if (found.isDirectory()) throw new CommandError(`${source} is a directory: name the file of an export`);
}

function place(data: string, given: string, source: string): Promise<Installed> {
  const lines = withProgress(linesOf(given === '-' ? process.stdin : createReadStream(source)), 'reading the export');
  return installDatabase({
    data,
    action: 'hub.import',
    detail: source,
    create: (file) => fill(file, lines, source),
  });
}

/** All checks and migrations are those of a file, from which the rows are copied. */
async function importInto(
  url: string,
  given: string,
  source: string,
  options: OutputOptions & { replace?: true },
): Promise<void> {
  if (options.replace) throw new CommandError('--replace works on files: create an empty database, and name that');
  const { assertFree, fillFrom } = await import('../../store/engine/postgres/rows.ts');
  const { notingWait } = await import('../cluster/wait-note.ts');
  await assertFree(url);
  const data = mkdtempSync(join(tmpdir(), 'agenthub-import-'));
  try {
    const { kept: _kept, ...placed } = await place(data, given, source);
    const rows = withProgress(readAllRows(join(data, DATABASE)), 'storing them in PostgreSQL');
    await notingWait(url, fillFrom(url, rows));
    const { servers, database } = shownParts(url);
    const answer = { ok: true, file: source, ...placed, database: `${database} at ${servers}`, kept: null };
    sayAnswer(options, answer, () => `imported ${oneLine(source)}: ${described(answer)}`);
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

type Line = { number: number; text: string };

async function fill(file: string, lines: AsyncGenerator<Line>, source: string): Promise<void> {
  try {
    await fillFrom(file, lines);
  } catch (error) {
    if (!(error instanceof BadLine)) throw error;
    throw new CommandError(`${source}: ${error.message}; nothing was changed`);
  }
  await assertIntact(file, WHOLE);
  await assertNumbersLeft(file, source);
}

async function fillFrom(file: string, lines: AsyncGenerator<Line>): Promise<void> {
  const first = await lines.next();
  const { schema } = onLine(1, () => readFirstLine(first.done ? '' : first.value.text));
  if (schema > SCHEMA_VERSION)
    throw new BadLine(
      `it has schema ${schema}, and this agenthub supports schemas up to ${SCHEMA_VERSION}; import it with a newer version`,
    );
  await applyMigrations(file, 0, schema);
  const writer = await writeAllRows(file);
  try {
    await writeRows(writer, lines);
  } finally {
    writer.close();
  }
  await applyMigrations(file, schema, SCHEMA_VERSION);
}

async function writeRows(writer: RowWriter, lines: AsyncGenerator<Line>): Promise<void> {
  let rows = 0;
  let last = 1;
  let isWhole = false;
  for await (const { number, text } of lines) {
    last = number;
    onLine(number, () => {
      if (isWhole) throw new BadLine('unexpected content after the end of the export');
      const content = readLine(number, text);
      if ('table' in content) rows += insert(writer, content);
      else if (content.rows !== rows) throw new BadLine(`it declares ${content.rows} rows, but the export has ${rows}`);
      else isWhole = true;
    });
  }
  if (!isWhole) throw new BadLine(`the export is truncated: it ends after line ${last}`);
  writer.commit();
}

function insert(writer: RowWriter, row: Parameters<RowWriter['insert']>[0]): 1 {
  try {
    writer.insert(row);
    return 1;
  } catch (error) {
    throw new BadLine(error instanceof Error ? error.message.replace(/\s+/g, ' ') : String(error));
  }
}

function onLine<T>(number: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof BadLine ? new BadLine(`line ${number}: ${error.message}`) : error;
  }
}

const LONGEST_LINE = 16 * 1024 * 1024;

/** Invalid UTF-8 is decoded to a replacement character, which breaks the checksum of its line. */
async function* linesOf(source: NodeJS.ReadableStream): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let rest = '';
  let number = 0;
  for await (const bytes of source) {
    const parts = (rest + decoder.decode(Buffer.from(bytes), { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new CommandError(
        `line ${number + parts.length + 1} is longer than 16 MiB; this is not an export of agenthub`,
      );
    for (const text of parts) yield { number: ++number, text };
  }
  if (rest !== '') yield { number: ++number, text: rest };
}
