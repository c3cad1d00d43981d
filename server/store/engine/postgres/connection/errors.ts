// Classifies errors of PostgreSQL by their effect on the transaction.
import { DatabaseError } from 'pg';

/** The access rights changed between the start of a group and its commit, so its writes must be allowed again. */
export class RightsChanged extends Error {}

/** Why one server of the URL cannot be used. */
export class ServerError extends Error {
  /** As the URL has it, with the port. */
  readonly server: string;
  readonly user: string | undefined;
  /** That of PostgreSQL, of the system or of TLS, or a word for what has none. */
  readonly code: string;

  constructor(cause: unknown, { server, user, code }: { server: string; user?: string | undefined; code: string }) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.server = server;
    this.user = user;
    this.code = code;
  }
}

/** None of the servers can be used. */
export class Unreachable extends Error {
  readonly refusals: readonly ServerError[];

  constructor(refusals: readonly ServerError[]) {
    super(refusals.map(({ server, message }) => `${server}: ${message}`).join(', '), { cause: refusals[0]?.cause });
    this.refusals = refusals;
  }
}

/** No server has accepted the connection yet. */
export class StillOpening extends Error {}

/** The transaction was rolled back for another one, or the writes of another hub came first. */
const TRY_AGAIN: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);
/**
 * Connection lost or refused, also for a password or a database that was changed meanwhile; server stopping, starting
 * or a standby; session ended by a time limit.
 */
const LOST = /^(08|28|3D000|57P|25P03|25006|53300|55000)/;

/** The connection is lost, or must be given up. */
export function isLost(error: unknown): boolean {
  if (error instanceof DatabaseError) return LOST.test(error.code ?? '');
  if (error instanceof Unreachable || error instanceof StillOpening) return true;
  return error instanceof Error && !(error instanceof RightsChanged) && isOfConnection(error);
}

/** The writes can run again: nothing of them stands. */
export function canRunAgain(error: unknown): boolean {
  return error instanceof RightsChanged || (error instanceof DatabaseError && TRY_AGAIN.has(error.code));
}

/** A lock was held for longer than the session waits. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '55P03';
}

/** Whether nothing can follow this error in the transaction, not even a rollback to a savepoint. */
export function endsTransaction(error: unknown): boolean {
  return canRunAgain(error) || isLost(error);
}

/** Whether a read has failed in the database, after which nothing else can be read in its snapshot. */
export function endsSnapshot(error: unknown): boolean {
  return error instanceof DatabaseError || isLost(error);
}

/** Those of `pg` have no code; those of the socket have the one of the system. */
function isOfConnection(error: Error): boolean {
  return 'errno' in error || OF_CONNECTION.test(error.message);
}

const OF_CONNECTION =
  /^(Connection terminated|Client (has encountered|was closed)|timeout expired|Query read timeout|Received unexpected)/;
