// Collects counter increments of a group of writes in memory and stores them once per group. Updating a row for every
// send took 4% of a send.
import { statementsFor } from './placeholders.ts';
import type { Statements } from './statements.ts';
import type { CounterTable, Pause } from './transaction.ts';

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
  /** Stores the increments. Required before a statement that reads or changes the counters. */
  store(): void;
  /** Stores the increments at the end of the transaction, pausing for other requests. */
  storeInSteps(pause: Pause): Promise<void>;
  /** Call after a rollback. */
  forget(): void;
};

export function gatherCounts(statements: Statements, { table, key, column }: Counter): GatheredCounts {
  const insertsOf = statementsFor(`INSERT INTO ${table} (${key.join(', ')}, ${column}) VALUES`, key.length + 1);
  const added = `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${column} = ${column} + excluded.${column}`;
  const counters = new Map<string, Gathered>();
  const steps = (): (() => void)[] =>
    insertsOf([...counters.values()].filter(({ more }) => more > 0)).map(({ sql, piece }) => () => {
      statements.run(
        `${sql} ${added}`,
        piece.flatMap((counter) => [...counter.key, counter.more]),
      );
    });
  const store = (): void => {
    for (const step of steps()) step();
    counters.clear();
  };
  return {
    of: (networkSeq, name) => {
      const text = `${networkSeq} ${name}`;
      const known = counters.get(text);
      if (known !== undefined) return known;
      const first: Gathered = { key: [networkSeq, name], more: 0, stored: undefined };
      counters.set(text, first);
      return first;
    },
    store,
    storeInSteps: async (pause) => {
      for (const step of steps()) {
        step();
        await pause();
      }
      counters.clear();
    },
    forget: () => counters.clear(),
  };
}
