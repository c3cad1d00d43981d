// The tables of agenthub that the user of the database may not use.
import { StartError } from '../../../domain/errors.ts';
import { allowing, someOf } from '../../../domain/health/postgres.ts';
import type { Statements } from './connection/statements.ts';
import { HAS_HUB, TABLES } from './schema.ts';

export type Forbidden = { name: string; may_read: 0 | 1 };

export function listForbidden(statements: Statements): Promise<Forbidden[]> {
  return statements.all<Forbidden>(FORBIDDEN, [TABLES]);
}

/** Throws StartError if the user may not read and write all tables: some calls would fail, and others not. */
export async function assertAllowed(statements: Statements): Promise<void> {
  const forbidden = await listForbidden(statements);
  if (forbidden.length === 0) return;
  const [current] = await statements.all<{ user: string }>('SELECT current_user::text AS "user"', []);
  const user = current?.user ?? '';
  throw new StartError(
    `the user ${user} may not read and write ${someOf(forbidden.map(({ name }) => name))} of the database`,
    allowing(user),
  );
}

const FORBIDDEN = `SELECT relname AS name, has_table_privilege(oid, 'SELECT') AS may_read FROM pg_class
  WHERE relkind = 'r' AND relnamespace = to_regnamespace(current_schema()) AND ${HAS_HUB}
    AND relname::text = ANY (CAST(? AS text[]))
    AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
      AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
  ORDER BY relname`;
