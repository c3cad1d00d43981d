// Databases of the PostgreSQL server that runs for the tests, each a copy of one with the schema.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject, onTestFinished } from 'vitest';
import { prepare } from '../../../server/store/engine/postgres/prepare.ts';

/** The URL of the server's own database; undefined where there is no server for this system. */
export const SERVER = inject('postgres');

/** Whether the tests of this run use PostgreSQL wherever they can use either database. */
export const ON_POSTGRES = process.env['AGENTHUB_TEST_DATABASE'] === 'postgres';

const TEMPLATE = 'agenthub_template';
/** Of the test files that need the template first, one creates it. */
const LOCK = 1;

type AtEnd = (cleanup: () => Promise<void>) => void;

/** The URL of a new database with the schema, which is removed with the test. */
export function createPostgres(atEnd: AtEnd = onTestFinished): Promise<string> {
  return createFrom(TEMPLATE, atEnd);
}

/** The same without the schema. */
export function createEmptyPostgres(): Promise<string> {
  return createFrom('template0', onTestFinished);
}

async function createFrom(template: string, atEnd: AtEnd): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await asAdministrator(async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rowCount === 0 && template === TEMPLATE) {
      await client.query(`CREATE DATABASE ${TEMPLATE}`);
      await prepare(urlOf(TEMPLATE));
    }
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  atEnd(() => asAdministrator((client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`)));
  return urlOf(name);
}

async function asAdministrator(act: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client(SERVER);
  await client.connect();
  await act(client);
  await client.end();
}

function urlOf(database: string): string {
  const url = new URL(SERVER ?? '');
  url.pathname = `/${database}`;
  return url.href;
}
