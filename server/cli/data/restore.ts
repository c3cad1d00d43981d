// restore: replaces the database of a stopped hub with a backup, after verifying the whole backup.
import { constants, copyFileSync, existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '../../domain/errors.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import { oneLine } from '../../domain/text/terminal-text.ts';
import { assertHeader, assertOurs } from '../../store/file/identity.ts';
import { assertIntact, WHOLE } from '../../store/file/integrity.ts';
import { applyMigrations } from '../../store/file/migrate.ts';
import { SCHEMA_VERSION } from '../../store/file/migrations.ts';
import { assertNumbersLeft } from '../../store/file/numbers-left.ts';
import { CommandError } from '../exit-codes.ts';
import { type OutputOptions, sayAnswer } from '../output.ts';
import { type DataOptions, fileConfigOf } from './as-operator.ts';
import { type Installed, installDatabase } from './install-database.ts';

export async function restore(given: string, options: DataOptions & OutputOptions): Promise<void> {
  const file = resolve(given);
  const { data } = fileConfigOf(options);
  assertBackup(file, join(data, DATABASE));
  let schema = SCHEMA_VERSION;
  const placed = await installDatabase({
    data,
    action: 'hub.restore',
    detail: file,
    create: async (temporary) => void (schema = await createFrom(file, temporary)),
  });
  const upgrade = schema === SCHEMA_VERSION ? '' : `, upgraded from schema ${schema} to ${SCHEMA_VERSION}`;
  sayAnswer(
    options,
    { ok: true, file, schema, ...placed },
    () => `restored ${oneLine(file)}${upgrade}: ${described(placed)}`,
  );
}

/** Describes the contents of the new database and the next step. */
export function described({
  users,
  networks,
  tasks,
  messages,
  counters_corrected: corrected,
  kept,
}: Installed): string {
  const contents = [
    counted(users, 'user'),
    counted(networks, 'network'),
    counted(tasks, 'task'),
    counted(messages, 'message'),
  ].join(', ');
  const counters = corrected === 0 ? [] : [`${counted(corrected, 'wrong counter')} corrected`];
  return [
    contents,
    ...counters,
    ...(kept === null
      ? []
      : [`${kept.endsWith('-wal') ? 'the log of the old' : 'the old'} database is kept as ${oneLine(kept)}`]),
    'start the hub; agents can continue, and event streams start over',
  ].join('\n');
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function assertBackup(file: string, database: string): void {
  if (!existsSync(file) || !statSync(file).isFile()) throw new CommandError(`there is no file ${file}`);
  if (existsSync(database) && realpathSync(file) === realpathSync(database))
    throw new CommandError(`${file} is the database itself; choose a backup of it`);
  try {
    assertHeader(file); // before a copy of it takes up the disk
  } catch (error) {
    throw refusal(error);
  }
}

/** Works on a copy, because opening a database may change it. Returns the schema version of the file. */
async function createFrom(file: string, temporary: string): Promise<number> {
  copyWithLog(file, temporary);
  try {
    const version = await assertOurs(temporary);
    if (version === 0) throw new StartError(`${temporary} is empty`);
    await assertIntact(temporary, WHOLE);
    await assertNumbersLeft(temporary);
    await applyMigrations(temporary, version, SCHEMA_VERSION);
    return version;
  } catch (error) {
    throw refusal(error, (message) => message.replaceAll(temporary, file));
  }
}

function refusal(error: unknown, named: (message: string) => string = String): unknown {
  if (!(error instanceof StartError)) return error;
  const reason = named(error.message).replace(/; (restore a backup|choose another|use a newer).*/, '');
  return new CommandError(`${reason}; nothing was changed`);
}

// A file that was copied while a hub was running may have its latest writes in a separate log.
function copyWithLog(file: string, temporary: string): void {
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${file}${suffix}`)) continue;
    try {
      copyFileSync(`${file}${suffix}`, `${temporary}${suffix}`, constants.COPYFILE_FICLONE);
    } catch (error) {
      throw new CommandError(
        `cannot copy ${file} to ${temporary} (${error instanceof Error && 'code' in error ? String(error.code) : String(error)}); nothing was changed`,
      );
    }
  }
}
