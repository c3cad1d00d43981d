// The stored counters compared with the rows they count. They are derived, so a wrong one is counted again instead of keeping
// its owner out: with a count that is too low no message could be acknowledged, with one too high none could be sent.
import type { Transaction } from './database.ts';
import { SCHEMA_VERSION } from './schema.ts';

type Counter = {
  table: string;
  /** The first schema that has it. */
  since: number;
  /** The network, and what else names a counter. */
  key: readonly [network: string, ...others: string[]];
  column: string;
  /** Selects the key and `counted`. */
  rows: string;
};

const NETWORK_SEQ_SINCE = 5;

function countersOf(version: number): readonly Counter[] {
  const network = version < NETWORK_SEQ_SINCE ? 'network_id' : 'network_seq';
  const counters: readonly Counter[] = [
    {
      table: 'inboxes', since: 1, key: [network, 'alias'], column: 'pending',
      rows: `SELECT ${network}, alias, count(*) AS counted FROM messages
        WHERE acked_at IS NULL AND withdrawn_at IS NULL GROUP BY ${network}, alias`,
    },
    {
      table: 'session_counts', since: 3, key: [network], column: 'sessions',
      rows: `SELECT ${network}, count(*) AS counted FROM sessions GROUP BY ${network}`,
    },
    {
      table: 'task_counts', since: 4, key: [network, 'status'], column: 'tasks',
      // Each part from its index alone.
      rows: `SELECT ${network}, 'delivered' AS status, count(*) AS counted FROM tasks WHERE status = 'delivered' GROUP BY ${network}
        UNION ALL SELECT ${network}, 'running' AS status, count(*) AS counted FROM tasks WHERE status = 'running' GROUP BY ${network}
        UNION ALL SELECT ${network}, status, count(*) AS counted FROM tasks WHERE completed_at IS NOT NULL GROUP BY ${network}, status`,
    },
  ];
  return counters.filter(({ since }) => since <= version);
}

export type WrongCounter = {
  /** Such as `inboxes.pending of net_1 worker`. */
  name: string;
  stored: number;
  counted: number;
};

export type Ask = (sql: string) => Promise<readonly object[]>;

const MAX_NAMED = 5;

/** At most a few of each counter that a file of this schema has. */
export async function findWrongCounters(ask: Ask, version = SCHEMA_VERSION): Promise<WrongCounter[]> {
  const found: WrongCounter[] = [];
  for (const counter of countersOf(version)) {
    const [network] = counter.key;
    const rows = await ask(
      `SELECT w.*, coalesce((SELECT n.network_id FROM networks n WHERE n.${network} = w.${network}), w.${network}) AS network
       FROM (${wrongRows(counter)}) w LIMIT ${MAX_NAMED}`,
    );
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
  const [, ...others] = key;
  const owner = ['network', ...others].map((name) => String(row[name])).join(' ');
  return { name: `${table}.${column} of ${owner}`, stored: Number(row['stored']), counted: Number(row['counted']) };
}

/** Returns how many counters were wrong. */
export async function recount(tx: Transaction): Promise<number> {
  let wrong = 0;
  for (const counter of countersOf(SCHEMA_VERSION)) {
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
