// Uses a PostgreSQL database for a moment, such as for a command, and explains in one line why it cannot be used.
import type { ClientConfig } from 'pg';
import { StartError } from '../../../domain/errors.ts';
import { shownParts } from '../../../domain/postgres-url.ts';
import { connectionTo } from './connection.ts';
import type { Statements } from './statements.ts';

/** For statements that take no time on a server that works. */
export const SHORT: ClientConfig = { query_timeout: 10_000 };

/** Throws StartError, with one line that says what to do. */
export async function onDatabase<Result>(
  url: string,
  act: (statements: Statements) => Promise<Result>,
  options: ClientConfig = {},
): Promise<Result> {
  const connection = connectionTo(url, options);
  try {
    return await act((await connection.open()).statements);
  } catch (error) {
    connection.drop(); // closing it would wait for a server that does not respond
    throw error instanceof StartError ? error : new StartError(problemOf(error, url));
  } finally {
    await connection.close();
  }
}

/** Without the password, which is part of the URL. */
export function problemOf(error: unknown, url: string): string {
  const { servers: host, database, user: username } = shownParts(url);
  const message = error instanceof Error ? error.message : '';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const what = `cannot use the database ${database} at ${host}`;
  const known: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there; start PostgreSQL, or correct the URL',
    ENOTFOUND: 'the host name is unknown; correct the URL',
    '28P01': `wrong password of the user ${username}`,
    '28000': `the user ${username} may not log in: ${message}`,
    '3D000': 'it does not exist; create it with createdb',
    '42501': `the user ${username} lacks a privilege: ${message}`,
    '25006': 'it is read-only; name the server that takes writes',
    '55P03': 'something else holds its tables, such as a backup; try again when it has ended',
    '53300': 'the server has no free connection; raise max_connections',
  };
  return `${what}: ${known[code] ?? message}`;
}
