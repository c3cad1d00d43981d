// What one write of a group is handed: the statements of the group's transaction, and a place for all that must wait for the
// end of the group or for its commit.
import type { Millis } from '../domain/clock.ts';
import type { NewEvent } from '../domain/events.ts';
import type { Stage } from '../domain/message.ts';
import type { TaskEvent } from '../domain/task-event.ts';
import type { VersionInGroup } from './access.ts';
import { readerOn } from './connection.ts';
import type { Transaction } from './database.ts';
import type { Arrivals } from './inboxes.ts';
import type { Statements } from './prepared-statements.ts';

export type Group = {
  statements: Statements;
  now: Millis;
  accessVersion: VersionInGroup;
  arrivals: Arrivals;
  /** What must happen in memory if what was done so far is taken back, in the order it was done. */
  undo: (() => void)[];
};

/** What a write leaves for the end of its group. */
export type Gathered = {
  events: NewEvent[];
  taskEvents: TaskEvent[];
  dropped: string[];
  counts: [stage: Stage, deliveries: number][];
  effects: (() => void)[];
  hasWritten: boolean;
};

export const nothing = (): Gathered => ({ events: [], taskEvents: [], dropped: [], counts: [], effects: [], hasWritten: false });

/** Takes back in memory what was done since `start`, the last first. */
export function takeBack({ undo }: Group, start = 0): void {
  for (const effect of undo.splice(start).reverse()) effect();
}

export function transactionOn({ statements, now, accessVersion, arrivals, undo }: Group, gathered: Gathered): Transaction {
  const note = (sql: string): void => {
    arrivals.note(sql);
    if (sql.startsWith('SELECT')) return; // all else may write, and return rows of it
    gathered.hasWritten = true;
    accessVersion.note(sql);
  };
  const reader = readerOn(statements, now);
  return {
    now,
    all: (sql, args) => (note(sql), reader.all(sql, args)),
    first: (sql, args) => (note(sql), reader.first(sql, args)),
    run: async (sql, args = []) => (note(sql), statements.run(sql, args)),
    accessVersion: () => accessVersion.read(),
    arrivals,
    publish: (event) => void gathered.events.push(event),
    record: (event) => void gathered.taskEvents.push(event),
    dropEvents: (networkId) => void gathered.dropped.push(networkId),
    count: (stage, deliveries) => void gathered.counts.push([stage, deliveries]),
    afterCommit: (effect) => void gathered.effects.push(effect),
    onRollback: (effect) => void undo.push(effect),
  };
}
