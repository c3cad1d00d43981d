// Uses a PostgreSQL database for a moment, such as for a command, and explains in one line why it cannot be used.
import type { ClientConfig } from 'pg';
import { type Connection, connectionTo } from './connection.ts';
import { problemOf } from './problems.ts';
import { serversAt } from './servers.ts';
import type { Statements } from './statements.ts';

/** For statements that take no time on a server that works. */
export const SHORT: ClientConfig = { query_timeout: 10_000 };

type Act<Result> = (statements: Statements, session: number) => Promise<Result>;

type Open = (connection: Connection) => ReturnType<Connection['open']>;

/** `session` is the number of the session at the server. Throws StartError, with one line that says what to do. */
export async function onDatabase<Result>(
  url: string,
  act: Act<Result>,
  options: ClientConfig = {},
  open: Open = (connection) => connection.open(),
): Promise<Result> {
  const connection = connectionTo(serversAt(url), options);
  try {
    const { statements, session } = await open(connection);
    return await act(statements, session);
  } catch (error) {
    connection.drop(); // closing it would wait for a server that does not respond
    throw problemOf(error, url);
  } finally {
    await connection.close();
  }
}
