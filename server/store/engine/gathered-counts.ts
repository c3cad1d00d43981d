// Collects counter increments of a group of writes in memory, so that they are stored once per group. Updating a row
// for every send took 4% of a send.
import { statementsFor } from './placeholders.ts';
import type { CounterTable, SqlValue } from './transaction.ts';

type Counter = {
  table: CounterTable;
  /** The two key columns of a counter, the network first. */
  key: readonly [string, string];
  column: string;
};

/** One counter: the increment not yet stored, and the stored value if it was read. */
export type Gathered = { key: readonly [number | null, string]; more: number; stored: number | undefined };

export type GatheredCounts = {
  of(networkSeq: number | null, name: string): Gathered;
  /**
   * The statements that store the increments, which are no longer collected. They must run before a statement that
   * reads or changes the counters.
   */
  take(): readonly { sql: string; args: readonly SqlValue[] }[];
  /** Call after a rollback. */
  forget(): void;
};

export function gatherCounts({ table, key, column }: Counter): GatheredCounts {
  const insertsOf = statementsFor(`INSERT INTO ${table} (${key.join(', ')}, ${column}) VALUES`, key.length + 1);
  const added = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${column} = ${table}.${column} + excluded.${column}`;
  const counters = new Map<string, Gathered>();
  return {
    of: (networkSeq, name) => {
      const text = `${networkSeq} ${name}`;
      const known = counters.get(text);
      if (known !== undefined) return known;
      const first: Gathered = { key: [networkSeq, name], more: 0, stored: undefined };
      counters.set(text, first);
      return first;
    },
    take: () => {
      if (counters.size === 0) return [];
      const increments = insertsOf([...counters.values()].filter(({ more }) => more > 0));
      counters.clear();
      return increments.map(({ sql, piece }) => ({
        sql: `${sql} ${added}`,
        args: piece.flatMap((counter) => [...counter.key, counter.more]),
      }));
    },
    forget: () => counters.clear(),
  };
}
