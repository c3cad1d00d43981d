// Prepares a PostgreSQL database for a hub that is about to open it.
import { StartError } from '../../../domain/errors.ts';
import type { Millis } from '../../../domain/time/clock.ts';
import { IS_ALIVE, SERVER_NOW } from './alive.ts';
import { onDatabase } from './connection/on-database.ts';
import type { Statements } from './connection/statements.ts';
import { logWait, openOnceStarted, type WaitLog, waitOf } from './connection/waiting.ts';
import { assertUsable } from './privileges.ts';
import { createSchema } from './schema.ts';
import { SCHEMA, type Schema } from './upgrade.ts';

/**
 * `now` is the time of the server, `newest` the latest moment that any hub has written, and `others` the number of hubs
 * that run on the database.
 */
export type Prepared = { now: Millis; newest: Millis; others: number };

type Options = {
  schema?: Schema;
  /** Gets a line if it takes long. Without it, a server that is starting up is an error. */
  log?: WaitLog | undefined;
};

/** Creates or upgrades the schema. Throws StartError, with one line that says what to do. */
export function prepare(url: string, { schema = SCHEMA, log }: Options = {}): Promise<Prepared> {
  return onDatabase(
    url,
    (statements, session) => logWait(prepareOn(statements, schema), () => waitOf(url, session), log),
    {},
    (connection) => (log === undefined ? connection.open() : openOnceStarted(connection, log)),
  );
}

async function prepareOn(statements: Statements, schema: Schema): Promise<Prepared> {
  await createSchema(statements, schema);
  await assertUsable(statements);
  const found = await statements.first<Prepared>(START, []);
  if (found === undefined) throw new StartError('the table hub of the database is empty', 'restore it from a backup');
  return found;
}

const START = `SELECT ${SERVER_NOW} AS now, clock AS newest,
  (SELECT count(*) FROM hubs WHERE ${IS_ALIVE} AND hub_id NOT LIKE 'starting %') AS others FROM hub`;
