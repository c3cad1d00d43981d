// Runs the statements of the store on a connection to PostgreSQL. Each is prepared once per connection.
import type { Client, QueryResult } from 'pg';
import { InvalidInput } from '../../../../domain/errors.ts';
import { type Sql, textFor } from '../../sql.ts';
import type { SqlValue } from '../../transaction.ts';

/** An array is one argument, whose elements have one type. */
type Args = readonly (SqlValue | readonly SqlValue[])[];

export type Statements = {
  all<Row>(sql: Sql, args: Args): Promise<Row[]>;
  first<Row>(sql: Sql, args: Args): Promise<Row | undefined>;
  run(sql: Sql, args: Args): Promise<{ changes: number }>;
  /** Runs an INSERT into a table that numbers its rows, and returns their numbers in order. */
  insert(sql: string, args: Args): Promise<number[]>;
  /** A statement without arguments or rows. */
  exec(sql: string): Promise<void>;
};

/** The columns that number the rows of the tables into which `insert` inserts. */
const NUMBERED: Readonly<Record<string, string>> = {
  tasks: 'task_seq',
  messages: 'message_seq',
  broadcasts: 'broadcast_seq',
};

export function statementsOn(client: Client): Statements {
  const gather = gatherWrites(client);
  const query = async (sql: string, args: Args): Promise<QueryResult> => {
    assertStorable(args);
    gather();
    return client.query({ ...prepared(sql), values: [...args] });
  };
  return {
    all: async <Row>(sql: Sql, args: Args) => (await query(textFor('postgres', sql), args)).rows as Row[],
    first: async <Row>(sql: Sql, args: Args) =>
      (await query(textFor('postgres', sql), args)).rows[0] as Row | undefined,
    run: async (sql, args) => ({ changes: (await query(textFor('postgres', sql), args)).rowCount ?? 0 }),
    insert: async (sql, args) => {
      const table = /^INSERT INTO (\w+)/.exec(sql)?.[1] ?? '';
      const { rows } = await query(`${sql} RETURNING ${NUMBERED[table]} AS number`, args);
      return rows.map(({ number }) => number);
    },
    exec: async (sql) => {
      gather();
      await client.query(sql);
    },
  };
}

/** What is issued until nothing more runs goes to the system at once: that takes a quarter of the time of a send. */
function gatherWrites({ connection }: Client): () => void {
  let isGathering = false;
  return () => {
    if (isGathering) return;
    isGathering = true;
    const { stream } = connection;
    stream.cork();
    process.nextTick(() => {
      isGathering = false;
      stream.uncork();
    });
  };
}

/** A file can store it, PostgreSQL cannot. */
export function assertStorable(args: Args): void {
  if (args.some((value) => typeof value === 'string' && value.includes('\0')))
    throw new InvalidInput('a text must not contain the character U+0000: the database of this hub cannot store it');
}

type Prepared = { name: string; text: string } | { text: string };

const MAX_PREPARED = 1_000;
const known = new Map<string, Prepared>();

/** Lists of different lengths make many texts; beyond the limit, they are planned each time. */
function prepared(sql: string): Prepared {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const text = numbered(sql);
  if (known.size >= MAX_PREPARED) return { text };
  const statement = { name: `s${known.size}`, text };
  known.set(sql, statement);
  return statement;
}

/** `?` becomes `$1`, `$2` and so on; `?3` becomes `$3`. No statement of the store has a question mark in a string. */
export function numbered(sql: string): string {
  let count = 0;
  return sql.replace(/\?(\d*)/g, (_, number: string) => `$${number === '' ? ++count : number}`);
}
