// The SQL of the store. Most statements are the same for both databases. Where the dialects differ, a statement is
// written once with the expressions below, or has a text for each.

/** The databases that a hub can run on. */
export type Engine = 'libsql' | 'postgres';

/** One text for both, or one for each. Parameters are `?`, or `?1` where one is used twice. */
export type Sql = string | Readonly<Record<Engine, string>>;

export type Dialect = {
  /** A subquery of the numbers in a parameter, which is a JSON array. */
  numbers(parameter: string): string;
  /** A subquery with the columns `first`, a number, and `second` of a parameter, which is a JSON array of pairs. */
  pairs(parameter: string, second: 'text' | 'number'): string;
  /** A text field of a column with JSON. */
  field(column: string, name: string): string;
  /** The largest of several numbers. */
  greatest(...numbers: readonly string[]): string;
  /** The last characters of a text. */
  last(text: string, characters: number): string;
  /** The number of the latest event; 0 if there has been none. */
  latestEvent: string;
};

const DIALECTS: Readonly<Record<Engine, Dialect>> = {
  libsql: {
    numbers: (parameter) => `(SELECT value FROM json_each(${parameter}))`,
    pairs: (parameter) => `(SELECT value ->> 0 AS first, value ->> 1 AS second FROM json_each(${parameter}))`,
    field: (column, name) => `json_extract(${column}, '$.${name}')`,
    greatest: (...numbers) => `max(${numbers.join(', ')})`,
    last: (text, characters) => `substr(${text}, -${characters})`,
    latestEvent: "coalesce((SELECT max(seq) FROM sqlite_sequence WHERE name IN ('events', 'task_events')), 0)",
  },
  postgres: {
    numbers: (parameter) => `(SELECT j::bigint FROM jsonb_array_elements(${parameter}::jsonb) j)`,
    pairs: (parameter, second) =>
      `(SELECT (j ->> 0)::bigint AS first, (j ->> 1)${second === 'number' ? '::bigint' : ''} AS second FROM jsonb_array_elements(${parameter}::jsonb) j)`,
    field: (column, name) => `(${column}::jsonb ->> '${name}')`,
    greatest: (...numbers) => `greatest(${numbers.join(', ')})`,
    last: (text, characters) => `right(${text}, ${characters})`,
    latestEvent: '(SELECT seq FROM hub)',
  },
};

/** Writes the statement in each dialect. */
export function inEach(write: (dialect: Dialect) => string): Readonly<Record<Engine, string>> {
  return { libsql: write(DIALECTS.libsql), postgres: write(DIALECTS.postgres) };
}

export function textFor(engine: Engine, sql: Sql): string {
  return typeof sql === 'string' ? sql : sql[engine];
}
