// What a task led to: which tasks belong to it, and its bars.
import { describe, expect, test } from 'vitest';
import { extentOf, loadGantt, MAX_ROWS, rowOf, runsOf, type Source, timeIn } from '../../../console/fleet/gantt.ts';
import type { ListedTask, TaskEventRecord } from '../../../console/live/api.ts';
import type { TaskStatus } from '../../../server/domain/task-status.ts';

type Moves = readonly (readonly [at: number, to: TaskStatus, actor?: string])[];

function task(task_id: string, attempt = 1): ListedTask {
  const at = '2026-11-23 12:00:00';
  const times = { created_at: at, delivered_at: at, started_at: null, completed_at: null, expires_at: at };
  const rest = { priority: 'normal', status: 'running', result: null, network_id: 'net_1', ...times } as const;
  return { task_id, from_name: 'ada', to_name: 'bob', content: task_id, attempt, ...rest };
}

function events(task_id: string, moves: Moves): TaskEventRecord[] {
  return moves.map(([created_at_ms, to_status, actor = 'ada'], index) => ({
    id: `${task_id} ${index}`,
    task_id,
    from_status: moves[index - 1]?.[1] ?? null,
    to_status,
    actor,
    detail: null,
    created_at: '',
    created_at_ms,
  }));
}

/** A hub with these tasks, each with its sender. */
function sourceOf(hub: Record<string, { from: string; moves: Moves }>): Source {
  return {
    sentDuring: async ({ alias }) => ({
      tasks: Object.entries(hub).flatMap(([id, { from }]) => (from === alias ? [task(id)] : [])),
      isCut: false,
    }),
    eventsOf: async ({ task_id }) => events(task_id, hub[task_id]?.moves ?? []),
  };
}

describe('the bars of a task', () => {
  const moves: Moves = [
    [0, 'delivered'],
    [10, 'running', 'bob'],
    [40, 'failed', 'bob'],
    [50, 'delivered'],
    [70, 'running', 'bob'],
  ];
  const row = rowOf(task('t', 2), 0, events('t', moves));

  test('are the waits and runs of each attempt, and its endings', () => {
    expect(row.phases).toEqual([
      { status: 'delivered', attempt: 1, from: 0, to: 10 },
      { status: 'running', attempt: 1, from: 10, to: 40 },
      { status: 'failed', attempt: 1, from: 40, to: 40 },
      { status: 'delivered', attempt: 2, from: 50, to: 70 },
      { status: 'running', attempt: 2, from: 70, to: undefined },
    ]);
  });

  test('of a reassigned task end with the reassignment', () => {
    const reassigned = rowOf(
      task('t', 2),
      0,
      events('t', [
        [0, 'delivered'],
        [5, 'delivered'],
      ]),
    );
    expect(reassigned.phases.map(({ attempt, to }) => [attempt, to])).toEqual([
      [1, 5],
      [2, undefined],
    ]);
  });

  test('last until now while it runs', () => {
    expect([timeIn('delivered', row, 100), timeIn('running', row, 100)]).toEqual([30, 60]);
    expect(extentOf([row], 100)).toEqual({ from: 0, to: 100 });
    expect(extentOf([rowOf(task('t'), 0, [])], 100)).toEqual({ from: 100, to: 101 });
  });
});

describe('what a task led to', () => {
  test('is what its agent sent while it ran, and what that led to', async () => {
    const { rows, isCut } = await loadGantt(
      task('root'),
      sourceOf({
        root: {
          from: 'ada',
          moves: [
            [0, 'delivered'],
            [10, 'running', 'bob'],
            [90, 'replied', 'bob'],
          ],
        },
        before: { from: 'bob', moves: [[9, 'delivered']] },
        child: {
          from: 'bob',
          moves: [
            [20, 'delivered'],
            [30, 'running', 'eve'],
            [60, 'replied', 'eve'],
          ],
        },
        grandchild: { from: 'eve', moves: [[40, 'delivered']] },
        after: { from: 'bob', moves: [[91, 'delivered']] },
      }),
    );
    expect(rows.map((row) => [row.task.task_id, row.depth])).toEqual([
      ['root', 0],
      ['child', 1],
      ['grandchild', 2],
    ]);
    expect(isCut).toBe(false);
  });

  test('ends, although two agents send to each other and to themselves', async () => {
    const moves = (at: number, actor: string): Moves => [
      [at, 'delivered'],
      [at, 'running', actor],
    ];
    const { rows } = await loadGantt(
      task('one'),
      sourceOf({ one: { from: 'eve', moves: moves(0, 'bob') }, two: { from: 'bob', moves: moves(5, 'eve') } }),
    );
    expect(rows.map((row) => row.task.task_id)).toEqual(['one', 'two']);
  });

  test('is cut at a number of rows, and says so', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`child-${n}`, { from: 'bob', moves: [[20, 'delivered']] as Moves }]),
    );
    const root = {
      from: 'ada',
      moves: [
        [0, 'delivered'],
        [10, 'running', 'bob'],
      ] as Moves,
    };
    const { rows, isCut } = await loadGantt(task('root'), sourceOf({ root, ...many }));
    expect([rows.length, isCut]).toEqual([MAX_ROWS, true]);
  });

  test('has a run for each agent that started it', () => {
    const run = events('t', [
      [0, 'delivered'],
      [1, 'running', 'bob'],
      [2, 'delivered'],
      [3, 'running', 'eve'],
    ]);
    expect(runsOf(run)).toEqual([
      { alias: 'bob', from: 1, to: 2 },
      { alias: 'eve', from: 3, to: undefined },
    ]);
  });
});
