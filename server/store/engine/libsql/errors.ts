// Classifies database errors by their cause and their effect on the transaction. @libsql/client and its driver both
// provide SQLite's result code as `rawCode`; its lowest byte is the primary code.
import { hasRoomFor } from './disk-space.ts';

const BUSY = 5;
const FULL = 13;
/** BUSY, NOMEM, IOERR, CORRUPT, FULL, NOTADB: the transaction cannot continue. */
const ENDS_TRANSACTION: ReadonlySet<number | undefined> = new Set([BUSY, 7, 10, 11, FULL, 26]);

export function endsTransaction(error: unknown): boolean {
  return ENDS_TRANSACTION.has(primaryCode(error));
}

/** Another connection blocks this one. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY;
}

/**
 * The disk has no space left. SQLite reports FULL only for a full disk; for an exhausted quota or file size limit it
 * reports a failed write, as for a broken disk.
 */
export function isFull(error: unknown, databaseFile: string): boolean {
  return primaryCode(error) === FULL || (isFailedWrite(error) && !hasRoomFor(1, databaseFile));
}

/** IOERR_WRITE and IOERR_SHMSIZE. */
function isFailedWrite(error: unknown): boolean {
  return code(error) === 778 || code(error) === 4_874;
}

/**
 * The name of the primary code, such as `SQLITE_BUSY`; undefined if it is not a database error. The driver provides the
 * name of the extended code.
 */
export function primaryName(error: unknown): string | undefined {
  if (code(error) === undefined || !(error instanceof Error) || !('code' in error)) return undefined;
  return String(error.code).split('_').slice(0, 2).join('_');
}

function primaryCode(error: unknown): number | undefined {
  const whole = code(error);
  return whole === undefined ? undefined : whole & 0xff;
}

function code(error: unknown): number | undefined {
  return error instanceof Error && 'rawCode' in error && typeof error.rawCode === 'number' ? error.rawCode : undefined;
}
