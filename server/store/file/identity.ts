// Decides which files this program can use: agenthub databases with a known schema. It refuses others without touching
// them.
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import type { Client } from '@libsql/client';
import { StartError } from '../../domain/errors.ts';
import { SCHEMA_VERSION } from './migrations.ts';
import { cannotOpen, damaged, onFile, wasOpened } from './open.ts';
import { assertOwnSchema } from './own-schema.ts';
import { copiesOf } from './upgrade-copies.ts';

// "ahub" in ASCII: distinguishes an agenthub database from any other SQLite file.
export const APPLICATION_ID = 0x61687562;

/**
 * Returns the schema version, 0 for an empty file. Throws StartError for a file that this program cannot use: not a
 * database, another program's, newer, or with a modified schema.
 */
export async function assertOurs(file: string): Promise<number> {
  assertHeader(file);
  return onFile(file, (client) => versionOf(client, file));
}

const HEADER_BYTES = 72;
const MAGIC = 'SQLite format 3\0';
const AT = { userVersion: 60, applicationId: 68 }; // "The Database Header" of SQLite's file format

/**
 * Checks the header without opening the database, since opening would leave an empty log file next to it. Must not run
 * after SQLite has opened the file in this process: closing any descriptor of a file releases all POSIX locks that the
 * process holds on it. Without them, another process that closes the database last removes the log of a running hub.
 */
export function assertHeader(file: string): void {
  if (wasOpened(file)) return;
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFIFO()) throw cannotOpen(file, 'a pipe'); // reading it could wait forever
  assertNotLost(file);
  if (hasLog(file) || found === undefined) return; // the log may hold a newer header
  const header = readHeader(file);
  if (header === undefined) return;
  if (header.toString('latin1', 0, MAGIC.length) !== MAGIC) throw cannotOpen(file, 'SQLITE_NOTADB');
  const application = header.readInt32BE(AT.applicationId);
  if (application !== 0 && application !== APPLICATION_ID) throw ofAnotherProgram(file);
  if (application === APPLICATION_ID) assertKnown(file, header.readInt32BE(AT.userVersion));
}

/**
 * What is wrong if the file is gone or empty but was not always, and what to do. A repair of the file system may leave
 * an empty file, and SQLite would create a database in it as if nothing had been there, and delete the log of the lost
 * one with its latest writes. A first start that was interrupted leaves an empty file and a journal. `restoring` says
 * how to restore a backup.
 */
export function lossOf(file: string, restoring = 'restore a backup'): { says: string; remedy: string } | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size !== undefined && size > 0) return undefined;
  if (hasLog(file))
    return {
      says: `${file} is ${size === undefined ? 'missing' : 'empty'}, but its log ${file}-wal has data`,
      remedy: `put the file back, or ${restoring}, or move the log away to begin with an empty hub`,
    };
  if (size === undefined || existsSync(`${file}-journal`)) return undefined;
  return {
    says: `${file} is empty, so what it contained is lost`,
    remedy: `${restoring}, or delete the file to begin with an empty hub`,
  };
}

function assertNotLost(file: string): void {
  const loss = lossOf(file);
  if (loss !== undefined) throw new StartError(`${loss.says}; ${loss.remedy}`);
}

function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Whether it begins as a database of SQLite does. */
export function isDatabase(file: string): boolean {
  return readHeader(file)?.toString('latin1', 0, MAGIC.length) === MAGIC;
}

/** Returns undefined if the file is unreadable; opening it reports why. */
function readHeader(file: string): Buffer | undefined {
  try {
    const descriptor = openSync(file, 'r');
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(descriptor, header);
    closeSync(descriptor);
    return length === 0 ? undefined : header;
  } catch {
    return undefined;
  }
}

async function versionOf(client: Client, file: string): Promise<number> {
  await client.execute('SELECT 1 FROM sqlite_schema LIMIT 1'); // SQLite opens the file only at the first read
  const version = await pragma(client, 'user_version');
  const application = await pragma(client, 'application_id');
  const isEmpty = version === 0 && (await pragma(client, 'schema_version')) === 0;
  if (!isEmpty && application !== APPLICATION_ID) throw ofAnotherProgram(file);
  if (version < 0 || (!isEmpty && version === 0)) throw damaged(file, `schema ${version}`);
  assertKnown(file, version);
  await assertOwnSchema(client, file, version);
  return version;
}

function ofAnotherProgram(file: string): StartError {
  return new StartError(`${file} is a database of another program; choose another data directory with --data`);
}

/** Of a database that a newer agenthub has written. */
export class NewerSchema extends StartError {}

function assertKnown(file: string, version: number): void {
  if (version <= SCHEMA_VERSION) return;
  const copy = copiesOf(file).find(isUsable);
  const hint = copy === undefined ? '' : `; the copy from before the upgrade is ${copy}`;
  throw new NewerSchema(
    `${file} has schema ${version}, but this agenthub supports schemas up to ${SCHEMA_VERSION}; use a newer agenthub${hint}`,
  );
}

function isUsable(copy: string): boolean {
  const version = readHeader(copy)?.readInt32BE(AT.userVersion) ?? 0;
  return version > 0 && version <= SCHEMA_VERSION;
}

async function pragma(client: Client, name: string): Promise<number> {
  const { rows } = await client.execute(`PRAGMA ${name}`);
  return Number(rows[0]?.[0]);
}
