// Uses a PostgreSQL database for a moment, such as for a command, and explains in one line why it cannot be used.
import type { ClientConfig } from 'pg';
import { connectionTo } from './connection.ts';
import { problemOf } from './problems.ts';
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
    return await act(await connection.statements());
  } catch (error) {
    connection.drop(); // closing it would wait for a server that does not respond
    throw problemOf(error, url);
  } finally {
    await connection.close();
  }
}
