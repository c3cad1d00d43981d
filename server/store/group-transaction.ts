// What one write of a group is handed: the statements of the group's transaction, and a place for all that must wait for the
// end of the group or for its commit.
import type { Millis } from '../domain/clock.ts';
import type { Stage } from '../domain/message.ts';
import type { VersionInGroup } from './access.ts';
import type { SqlValue, Transaction } from './database.ts';
import type { Told } from './events.ts';
import type { GatheredCounts } from './gathered-counts.ts';
import type { Arrivals } from './inboxes.ts';
import type { NetworkSeqs } from './network-seqs.ts';
import type { Pause } from './pause.ts';
import type { Statements } from './prepared-statements.ts';
import type { SentTasks } from './task-counts.ts';

export type Group = {
  statements: Statements;
  now: Millis;
  accessVersion: VersionInGroup;
  networkSeqs: NetworkSeqs;
  arrivals: Arrivals;
  sent: SentTasks;
  /** What is added to counters, all of it. */
  counts: readonly GatheredCounts[];
  pause: Pause;
  /** Milliseconds, by which the group is bounded. */
  elapsed: () => number;
  /** What must happen in memory if what was done so far is taken back, in the order it was done. */
  undo: (() => void)[];
};

/** What a write leaves for the end of its group. */
export type Gathered = {
  told: Told[];
  counts: [stage: Stage, deliveries: number][];
  effects: (() => void)[];
  hasWritten: boolean;
};

export const nothing = (): Gathered => ({ told: [], counts: [], effects: [], hasWritten: false });

/** Takes back in memory what was done since `start`, the last first. */
export function takeBack({ undo }: Group, start = 0): void {
  for (const effect of undo.splice(start).reverse()) effect();
}

export function transactionOn(group: Group, gathered: Gathered): Transaction {
  const { statements, now, accessVersion, networkSeqs, arrivals, sent, counts, pause, undo } = group;
  /** Runs a statement. One that reads, or that found nothing to change, leaves nothing that a failure would have to take back. */
  const noted = <Result>(sql: string, execute: () => Result, isWrite: (result: Result) => boolean): Result => {
    for (const gatheredCounts of counts) gatheredCounts.note(sql);
    if (sql.startsWith('SELECT')) return execute();
    const hadWritten = gathered.hasWritten;
    gathered.hasWritten = true; // unless it succeeds without effect
    const result = execute();
    gathered.hasWritten = hadWritten || isWrite(result);
    if (gathered.hasWritten) accessVersion.note(sql);
    return result;
  };
  return {
    now,
    networkSeq: networkSeqs.of,
    all: async <Row>(sql: string, args: readonly SqlValue[] = []) => noted(sql, () => statements.all<Row>(sql, args), (rows) => rows.length > 0),
    first: async <Row>(sql: string, args: readonly SqlValue[] = []) => noted(sql, () => statements.first<Row>(sql, args), (row) => row !== undefined),
    run: async (sql, args = []) => noted(sql, () => statements.run(sql, args), ({ changes }) => changes > 0),
    accessVersion: () => accessVersion.read(),
    arrivals,
    sent,
    pause,
    publish: (event) => void gathered.told.push({ event }),
    record: (move) => void gathered.told.push({ move }),
    count: (stage, deliveries) => void gathered.counts.push([stage, deliveries]),
    afterCommit: (effect) => void gathered.effects.push(effect),
    onRollback: (effect) => void undo.push(effect),
  };
}
