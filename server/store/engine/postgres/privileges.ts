// The tables of agenthub that are missing, or that the user of the database may not use.
import { StartError } from '../../../domain/errors.ts';
import { allowing, RESTORE, someOf } from '../../../domain/health/postgres.ts';
import type { Statements } from './connection/statements.ts';
import { HAS_HUB, TABLES } from './schema.ts';

export type Forbidden = { name: string; may_read: 0 | 1 };

export function listForbidden(statements: Statements): Promise<Forbidden[]> {
  return statements.all<Forbidden>(FORBIDDEN, [TABLES]);
}

/** None without a hub. */
export function listMissing(statements: Statements): Promise<{ name: string }[]> {
  return statements.all<{ name: string }>(MISSING, [TABLES]);
}

/** Throws StartError if a table is missing, or the user may not read and write all: only some calls would fail. */
export async function assertUsable(statements: Statements): Promise<void> {
  const missing = await listMissing(statements);
  if (missing.length > 0)
    throw new StartError(`the database lacks tables of agenthub: ${someOf(missing.map(({ name }) => name))}`, RESTORE);
  const forbidden = await listForbidden(statements);
  if (forbidden.length === 0) return;
  const [current] = await statements.all<{ user: string }>('SELECT current_user::text AS "user"', []);
  const user = current?.user ?? '';
  throw new StartError(
    `the user ${user} may not read and write ${someOf(forbidden.map(({ name }) => name))} of the database`,
    allowing(user),
  );
}

const MISSING = `SELECT name FROM unnest(CAST(? AS text[])) name WHERE ${HAS_HUB} AND to_regclass(quote_ident(name)) IS NULL
  ORDER BY name`;

const FORBIDDEN = `SELECT relname AS name, has_table_privilege(oid, 'SELECT') AS may_read FROM pg_class
  WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()) AND ${HAS_HUB}
    AND relname::text = ANY (CAST(? AS text[]))
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname`;
