// Runs the statements that several writes of a group issue at once as one, over arrays of their arguments.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Sql, textFor } from '../sql.ts';
import type { SqlValue } from '../transaction.ts';
import { assertStorable, type Statements } from './connection/statements.ts';

type Merging = {
  first<Row>(sql: Sql, args: readonly SqlValue[]): Promise<Row | undefined>;
  run(sql: Sql, args: readonly SqlValue[]): Promise<{ changes: number }>;
  insert(sql: string, args: readonly SqlValue[]): Promise<number[]>;
};

/** One statement for many calls. `columns` are the positions of the arguments that it takes as arrays. */
type Merged = { sql: string; columns: readonly number[] };
type Kind = 'first' | 'insert' | 'run';
type Call = { args: readonly SqlValue[]; resolve(value: unknown): void; reject(error: unknown): void };
type Batch = { kind: Kind; sql: string; calls: Call[] };

/** Statements that are issued in the same turn of the event loop may run in any order. */
export function mergedOn(statements: Statements): Merging {
  let batches = new Map<string, Batch>();
  const flush = async (): Promise<void> => {
    await nextTurn();
    const taken = [...batches.values()];
    batches = new Map();
    for (const batch of taken) void runBatch(statements, batch);
  };
  const issue = <Result>(kind: Kind, sql: string, args: readonly SqlValue[]): Promise<Result> =>
    new Promise<Result>((resolve, reject) => {
      assertStorable(args);
      if (batches.size === 0) void flush();
      const key = `${kind} ${sql}`;
      const batch = batches.get(key) ?? { kind, sql, calls: [] };
      batches.set(key, batch);
      batch.calls.push({ args, resolve: (value) => resolve(value as Result), reject });
    });
  return {
    first: (sql, args) => issue('first', textFor('postgres', sql), args),
    run: (sql, args) => issue('run', textFor('postgres', sql), args),
    insert: (sql, args) => issue('insert', sql, args),
  };
}

async function runBatch(statements: Statements, { kind, sql, calls }: Batch): Promise<void> {
  const merged = calls.length === 1 ? undefined : merge(kind, sql, calls);
  if (merged === undefined) {
    for (const { args, resolve, reject } of calls) statements[kind](sql, args).then(resolve, reject);
    return;
  }
  const values = merged.columns.map((column) => calls.map(({ args }) => args[column] ?? null));
  try {
    await RUN[kind](statements, merged.sql, values, calls);
  } catch (error) {
    for (const { reject } of calls) reject(error);
  }
}

type Values = readonly (readonly SqlValue[])[];
type Found = Record<typeof POSITION, number>;

const RUN: Record<Kind, (on: Statements, sql: string, values: Values, calls: readonly Call[]) => Promise<void>> = {
  first: async (statements, sql, values, calls) => {
    const found = new Map<number, Found>();
    for (const row of await statements.all<Found>(sql, values)) {
      const { [POSITION]: position, ...first } = row;
      if (!found.has(position)) found.set(position, first as Found);
    }
    for (const [index, { resolve }] of calls.entries()) resolve(found.get(index + 1));
  },
  run: async (statements, sql, values, calls) => {
    await statements.run(sql, values);
    for (const { resolve } of calls) resolve({ changes: 1 });
  },
  insert: async (statements, sql, values, calls) => {
    const numbers = await statements.insert(sql, values);
    for (const [index, { resolve }] of calls.entries()) resolve([numbers[index]]);
  },
};

const POSITION = 'call_position';

const known = new Map<string, Merged | undefined>();

/** Undefined if the calls cannot be merged. The texts depend on the types of the arguments. */
function merge(kind: Kind, sql: string, calls: readonly Call[]): Merged | undefined {
  const types = calls[0]?.args.map((_, column) => typeOf(calls.map(({ args }) => args[column] ?? null))) ?? [];
  if (types.includes(undefined) || types.every((type) => type === 'null')) return undefined;
  const key = `${kind} ${types.join()} ${sql}`;
  if (known.has(key)) return known.get(key);
  const merged = kind === 'first' ? mergedSelect(sql, types) : mergedInsert(sql, types);
  known.set(key, merged);
  return merged;
}

type Type = 'text' | 'bigint' | 'null';

function typeOf(values: readonly SqlValue[]): Type | undefined {
  const given = values.filter((value) => value !== null);
  if (given.length === 0) return 'null';
  if (given.every((value) => typeof value === 'string')) return 'text';
  return given.every(Number.isSafeInteger) ? 'bigint' : undefined;
}

/** A row of a merged statement cannot limit its own part of the result by a parameter. */
function mergedSelect(sql: string, types: readonly (Type | undefined)[]): Merged | undefined {
  if (!sql.startsWith('SELECT') || /(LIMIT|OFFSET) \?/.test(sql)) return undefined;
  let next = 0;
  const text = sql.replace(/\?(\d*)/g, (_, number: string) => parameter(types, number === '' ? next++ : +number - 1));
  return arrays(types, (source) => `SELECT given.n AS ${POSITION}, r.* FROM ${source}, LATERAL (${text}) r`);
}

/** One row of values; a conflict must not leave the row out. */
function mergedInsert(sql: string, types: readonly (Type | undefined)[]): Merged | undefined {
  const [, insert, rest = ''] = /^(INSERT INTO \w+ \([\w, ]+\))\s+VALUES \((?:\?, )*\?\)(.*)$/s.exec(sql) ?? [];
  if (insert === undefined || rest.includes('DO NOTHING')) return undefined;
  const row = types.map((_, column) => parameter(types, column)).join(', ');
  return arrays(types, (source) => `${insert} SELECT ${row} FROM ${source} ORDER BY given.n${rest}`);
}

function parameter(types: readonly (Type | undefined)[], column: number): string {
  return types[column] === 'null' ? 'NULL' : `given.p${column + 1}`;
}

function arrays(types: readonly (Type | undefined)[], write: (source: string) => string): Merged {
  const columns = types.flatMap((type, column) => (type === 'null' ? [] : [column]));
  const given = columns.map((column) => `?::${types[column]}[]`).join(', ');
  const names = columns.map((column) => `p${column + 1}`).join(', ');
  return { sql: write(`unnest(${given}) WITH ORDINALITY AS given (${names}, n)`), columns };
}
