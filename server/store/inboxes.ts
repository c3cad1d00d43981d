// How many messages wait in each inbox. What comes to an inbox while a group of writes runs is counted in memory and stored
// once: to change its row for every message took 4 % of a send.
import type { Reader } from './database.ts';
import type { Pause } from './pause.ts';
import { statementsFor } from './placeholders.ts';
import type { Statements } from './prepared-statements.ts';

const PENDING = 'SELECT pending FROM inboxes WHERE network_id = ? AND alias = ?';

type Row = { pending: number };

export async function countPending(reader: Reader, networkId: string, alias: string): Promise<number> {
  const inbox = await reader.first<Row>(PENDING, [networkId, alias]);
  return inbox?.pending ?? 0;
}

/** What comes to the inboxes in one transaction. */
export type Arrivals = {
  /** Counts one message that was just stored. */
  add(networkId: string, alias: string): void;
  /** How many messages wait in an inbox to which one came. */
  pending(networkId: string, alias: string): number;
  /** Looks at a statement that is about to run: one that may read or change the counts shall find them stored. */
  note(sql: string): void;
  store(): void;
  /** The same at the end of the transaction, with others served in between. */
  storeInSteps(pause: Pause): Promise<void>;
  /** After a rollback. */
  forget(): void;
};

type Inbox = { network_id: string; alias: string; stored: number | undefined; more: number };

const arrivalsOf = statementsFor('INSERT INTO inboxes (network_id, alias, pending) VALUES', 3);
const ADDED = 'ON CONFLICT (network_id, alias) DO UPDATE SET pending = pending + excluded.pending';

export function arrivalsInGroup(statements: Statements): Arrivals {
  const inboxes = new Map<string, Inbox>();
  const inboxOf = (networkId: string, alias: string): Inbox => {
    const key = `${networkId} ${alias}`;
    const known = inboxes.get(key);
    if (known !== undefined) return known;
    const first: Inbox = { network_id: networkId, alias, stored: undefined, more: 0 };
    inboxes.set(key, first);
    return first;
  };
  const steps = (): (() => void)[] =>
    arrivalsOf([...inboxes.values()].filter(({ more }) => more > 0)).map(({ sql, piece }) => () => {
      statements.run(`${sql} ${ADDED}`, piece.flatMap(({ network_id, alias, more }) => [network_id, alias, more]));
    });
  const store = (): void => {
    for (const step of steps()) step();
    inboxes.clear();
  };
  return {
    add: (networkId, alias) => void (inboxOf(networkId, alias).more += 1),
    pending: (networkId, alias) => {
      const inbox = inboxOf(networkId, alias);
      inbox.stored ??= statements.first<Row>(PENDING, [networkId, alias])?.pending ?? 0;
      return inbox.stored + inbox.more;
    },
    note: (sql) => {
      if (inboxes.size > 0 && mayConcernInboxes(sql)) store();
    },
    store,
    storeInSteps: async (pause) => {
      for (const step of steps()) {
        step();
        await pause();
      }
      inboxes.clear();
    },
    forget: () => inboxes.clear(),
  };
}

// Updates and deletions reach the counts by triggers and references; what inserts or selects does so by their name only.
function mayConcernInboxes(sql: string): boolean {
  return !(sql.startsWith('SELECT') || sql.startsWith('INSERT')) || sql.includes('inboxes');
}
