// The stored counters compared with the rows they count. They are derived, so a wrong one is counted again instead of keeping
// its owner out: with a count that is too low no message could be acknowledged, with one too high none could be sent.
import type { Transaction } from './database.ts';

type Counter = {
  table: string;
  key: readonly string[];
  column: string;
  /** Selects the key and `counted`. */
  rows: string;
};

const COUNTERS: readonly Counter[] = [
  {
    table: 'inboxes', key: ['network_id', 'alias'], column: 'pending',
    rows: `SELECT network_id, alias, count(*) AS counted FROM messages
      WHERE acked_at IS NULL AND withdrawn_at IS NULL GROUP BY network_id, alias`,
  },
  {
    table: 'session_counts', key: ['network_id'], column: 'sessions',
    rows: 'SELECT network_id, count(*) AS counted FROM sessions GROUP BY network_id',
  },
  {
    table: 'task_counts', key: ['network_id', 'status'], column: 'tasks',
    // Each part from its index alone.
    rows: `SELECT network_id, 'delivered' AS status, count(*) AS counted FROM tasks WHERE status = 'delivered' GROUP BY network_id
      UNION ALL SELECT network_id, 'running' AS status, count(*) AS counted FROM tasks WHERE status = 'running' GROUP BY network_id
      UNION ALL SELECT network_id, status, count(*) AS counted FROM tasks WHERE completed_at IS NOT NULL GROUP BY network_id, status`,
  },
];

export type WrongCounter = {
  /** Such as `inboxes.pending of net_1 worker`. */
  name: string;
  stored: number;
  counted: number;
};

export type Ask = (sql: string) => Promise<readonly object[]>;

const MAX_NAMED = 5;

/** At most a few of each counter. A file of an older schema has not all of them: `tables` says which it has. */
export async function findWrongCounters(ask: Ask, tables?: ReadonlySet<string>): Promise<WrongCounter[]> {
  const found: WrongCounter[] = [];
  for (const counter of COUNTERS.filter(({ table }) => tables?.has(table) ?? true)) {
    const rows = await ask(`SELECT * FROM (${wrongRows(counter)}) LIMIT ${MAX_NAMED}`);
    found.push(...rows.map((row) => describe(counter, { ...row })));
  }
  return found;
}

/** Keys of the counters that are wrong or missing, with what is stored and what there is to count. */
function wrongRows({ table, key, column, rows }: Counter): string {
  const keys = key.join(', ');
  return `SELECT ${keys}, coalesce(${column}, 0) AS stored, coalesce(counted, 0) AS counted
    FROM ${table} FULL JOIN (${rows}) USING (${keys}) WHERE coalesce(${column}, 0) <> coalesce(counted, 0)`;
}

function describe({ table, key, column }: Counter, row: Record<string, unknown>): WrongCounter {
  const owner = key.map((name) => String(row[name])).join(' ');
  return { name: `${table}.${column} of ${owner}`, stored: Number(row['stored']), counted: Number(row['counted']) };
}

/** Returns how many counters were wrong. */
export async function recount(tx: Transaction): Promise<number> {
  let wrong = 0;
  for (const counter of COUNTERS) {
    const { table, key, column } = counter;
    const keys = key.join(', ');
    const { changes } = await tx.run(
      `INSERT INTO ${table} (${keys}, ${column}) SELECT ${keys}, counted FROM (${wrongRows(counter)}) WHERE true
       ON CONFLICT (${keys}) DO UPDATE SET ${column} = excluded.${column}`,
    );
    wrong += changes;
  }
  return wrong;
}
