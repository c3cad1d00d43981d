// The stored counters and the rows they count. Each counter changes in the same transaction as its rows, so only an
// external change to the file can make one wrong. `doctor` finds it, and `doctor --repair` recounts.
import { BUCKET_STARTS } from '../../domain/time/duration-buckets.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { Statements } from '../engine/libsql/statements.ts';
import { SCHEMA_VERSION } from '../file/migrations.ts';
import { QUARTER_MS } from './duration-counts.ts';

type Counter = {
  table: string;
  /** The first schema version with this counter. */
  since: number;
  /** The key columns: the network and one more. */
  key: readonly [network: string, ...others: string[]];
  column: string;
  /** Selects the key columns and `counted`. */
  rows: string;
  /** The counter may exceed its rows, because it includes pruned ones, and may be missing, because it is pruned too. */
  isLeast?: true;
};

const NETWORK_SEQ_SINCE = 5;
const DURATIONS_SINCE = 10;
/** The columns of move_counts, each with its condition on task_events. */
const MOVES: readonly [column: string, condition: string][] = [
  ['sent', 'from_status IS NULL'],
  ...['replied', 'failed', 'cancelled', 'expired'].map((status): [string, string] => {
    return [status, `from_status IS NOT NULL AND to_status = '${status}'`];
  }),
];

/** The agent of a task may have changed since it started, so starts are compared only for the whole network. */
const MEASURED = [
  "SELECT network_seq, '' AS alias, started_at AS at, 'started' AS measure, started_at - delivered_at AS ms FROM tasks WHERE started_at IS NOT NULL",
  "SELECT network_seq, '' AS alias, completed_at AS at, status AS measure, completed_at - delivered_at AS ms FROM tasks WHERE completed_at IS NOT NULL",
  'SELECT network_seq, to_name AS alias, completed_at AS at, status AS measure, completed_at - delivered_at AS ms FROM tasks WHERE completed_at IS NOT NULL',
].join(' UNION ALL ');
const BUCKET = `CASE ${BUCKET_STARTS.map((start, bucket) => `WHEN ms < ${start} THEN ${bucket}`).join(' ')} ELSE ${BUCKET_STARTS.length} END`;
const DURATIONS = `SELECT network_seq, alias, at / ${QUARTER_MS} AS quarter, measure, ${BUCKET} AS bucket, count(*) AS counted
  FROM (${MEASURED}) m GROUP BY 1, 2, 3, 4, 5`;

function countersOf(version: number): readonly Counter[] {
  const network = version < NETWORK_SEQ_SINCE ? 'network_id' : 'network_seq';
  const counters: Counter[] = [
    {
      table: 'inboxes',
      since: 1,
      key: [network, 'alias'],
      column: 'pending',
      rows: `SELECT ${network}, alias, count(*) AS counted FROM messages
        WHERE acked_at IS NULL AND withdrawn_at IS NULL GROUP BY ${network}, alias`,
    },
    {
      table: 'session_counts',
      since: 3,
      key: [network],
      column: 'sessions',
      rows: `SELECT ${network}, count(*) AS counted FROM sessions GROUP BY ${network}`,
    },
    {
      table: 'task_counts',
      since: 4,
      key: [network, 'status'],
      column: 'tasks',
      // Reads each part from its index alone.
      rows: `SELECT ${network}, 'delivered' AS status, count(*) AS counted FROM tasks WHERE status = 'delivered' GROUP BY ${network}
        UNION ALL SELECT ${network}, 'running' AS status, count(*) AS counted FROM tasks WHERE status = 'running' GROUP BY ${network}
        UNION ALL SELECT ${network}, status, count(*) AS counted FROM tasks WHERE completed_at IS NOT NULL GROUP BY ${network}, status`,
    },
    ...MOVES.map(
      ([column, condition]): Counter => ({
        table: 'move_counts',
        since: 6,
        key: [network, 'minute'],
        column,
        isLeast: true,
        rows: `SELECT ${network}, created_at / 60000 AS minute, count(*) AS counted FROM task_events WHERE ${condition} GROUP BY 1, 2`,
      }),
    ),
  ];
  counters.push({
    table: 'duration_counts',
    since: DURATIONS_SINCE,
    key: [network, 'alias', 'quarter', 'measure', 'bucket'],
    column: 'tasks',
    isLeast: true,
    rows: DURATIONS,
  });
  return counters.filter(({ since }) => since <= version);
}

export type WrongCounter = {
  /** For example `inboxes.pending of net_1 worker`. */
  name: string;
  stored: number;
  counted: number;
};

export type Ask = (sql: string) => Promise<readonly object[]>;

const MAX_NAMED = 5;

/** Returns at most `MAX_NAMED` wrong values of each counter of a schema. */
export async function findWrongCounters(ask: Ask, schema: number): Promise<WrongCounter[]> {
  const found: WrongCounter[] = [];
  for (const counter of countersOf(schema)) {
    const rows = await ask(`${namedWrongRows(counter)} LIMIT ${MAX_NAMED}`);
    found.push(...rows.map((row) => describe(counter, { ...row })));
  }
  return found;
}

/** Selects the keys of counters that are wrong or missing, with the stored and the counted value. */
function wrongRows({ table, key, column, rows, isLeast }: Counter): string {
  const keys = key.join(', ');
  if (isLeast) {
    return `SELECT ${keys}, ${column} AS stored, counted FROM ${table} JOIN (${rows}) r USING (${keys}) WHERE ${column} < counted`;
  }
  return `SELECT ${keys}, coalesce(${column}, 0) AS stored, coalesce(counted, 0) AS counted
    FROM ${table} FULL JOIN (${rows}) r USING (${keys}) WHERE coalesce(${column}, 0) <> coalesce(counted, 0)`;
}

/** The same with the public network id. */
function namedWrongRows(counter: Counter): string {
  const [network] = counter.key;
  return `SELECT w.*, coalesce((SELECT n.network_id FROM networks n WHERE n.${network} = w.${network}), CAST(w.${network} AS TEXT)) AS network FROM (${wrongRows(counter)}) w`;
}

function describe({ table, key, column }: Counter, row: Record<string, unknown>): WrongCounter {
  const [, ...others] = key;
  const owner = ['network', ...others].map((name) => String(row[name])).join(' ');
  return { name: `${table}.${column} of ${owner}`, stored: Number(row['stored']), counted: Number(row['counted']) };
}

/** The transaction in which counters are corrected. */
export type Counting = { all: Ask; run(sql: string): Promise<unknown> };

/** Corrects every wrong counter and returns the wrong ones. It blocks everything else for 20 ms per 100,000 tasks. */
export async function recount(tx: Counting): Promise<WrongCounter[]> {
  const corrected: WrongCounter[] = [];
  for (const counter of countersOf(SCHEMA_VERSION)) {
    const wrong = await tx.all(namedWrongRows(counter));
    if (wrong.length === 0) continue;
    corrected.push(...wrong.map((row) => describe(counter, { ...row })));
    await tx.run(correction(counter));
  }
  return corrected;
}

function correction(counter: Counter): string {
  const { table, key, column, isLeast } = counter;
  const keys = key.join(', ');
  if (isLeast) {
    const isSame = key.map((name) => `${table}.${name} = w.${name}`).join(' AND ');
    return `UPDATE ${table} SET ${column} = w.counted FROM (${wrongRows(counter)}) w WHERE ${isSame}`;
  }
  return `INSERT INTO ${table} (${keys}, ${column}) SELECT ${keys}, counted FROM (${wrongRows(counter)}) w WHERE true
    ON CONFLICT (${keys}) DO UPDATE SET ${column} = excluded.${column}`;
}

/** A counter that was 0 although a row it counts still existed. */
export type LowCounter = { counter: string; owner: string };

/**
 * Keeps a counter at 0 if it would become negative, and notes the first of each kind. Otherwise its CHECK would fail,
 * and with it every acknowledgement or transition that it counts. Temporary triggers do this, so the schema of the file
 * does not change.
 */
export function guardCounters(statements: Statements): void {
  statements.exec(
    'CREATE TEMP TABLE low_counters (counter TEXT PRIMARY KEY, owner TEXT NOT NULL) STRICT, WITHOUT ROWID',
  );
  for (const {
    table,
    key: [network, ...others],
    column,
    isLeast,
  } of countersOf(SCHEMA_VERSION)) {
    if (isLeast) continue; // this counter never decreases
    const networkId = `(SELECT n.network_id FROM main.networks n WHERE n.${network} = old.${network})`;
    const owner = [`coalesce(${networkId}, '')`, ...others.map((name) => `old.${name}`)].join(" || ' ' || ");
    statements.exec(
      `CREATE TEMP TRIGGER ${table}_guard BEFORE UPDATE OF ${column} ON main.${table} WHEN old.${column} = 0 AND new.${column} = -1 BEGIN
         INSERT INTO low_counters (counter, owner) SELECT '${table}.${column}', ${owner}
           WHERE NOT EXISTS (SELECT 1 FROM low_counters WHERE counter = '${table}.${column}');
         SELECT RAISE(IGNORE);
       END`,
    );
  }
}

/**
 * Returns a function to call after each commit, which reports the first counter of each kind that `guardCounters`
 * noted. It reads the notes once per second, because reading takes a tenth of a small commit.
 */
export function watchLowCounters(
  statements: Statements,
  elapsed: () => number,
  report: (low: LowCounter) => void,
): () => void {
  const reported = new Set<string>();
  let dueAt = -Infinity;
  return () => {
    if (elapsed() < dueAt) return;
    dueAt = elapsed() + SECOND_MS;
    const low = statements.all<LowCounter>('SELECT counter, owner FROM low_counters', []);
    for (const each of low.filter(({ counter }) => !reported.has(counter))) {
      reported.add(each.counter);
      report(each);
    }
  };
}
