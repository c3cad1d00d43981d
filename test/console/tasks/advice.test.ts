import { describe, expect, test } from 'vitest';
import { type AdviceName, adviceFor, type TaskAct, workerCommand } from '../../../console/tasks/advice.ts';
import { SESSION_STATUSES } from '../../../server/domain/session.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { TASK_STATUSES } from '../../../server/domain/task-status.ts';

const AT = '2026-01-31 12:00:00';
type Status = Parameters<typeof adviceFor>[1];

describe('the advice about a task', () => {
  test.each<[string, Partial<TaskRecord>, Status, AdviceName | undefined, TaskAct | undefined]>([
    ['its name is unknown', {}, 'unknown', 'unknown', 'reassign'],
    ['its agent is offline', {}, 'offline', 'offline', 'reassign'],
    ['nothing listened', {}, 'idle', 'unheard', 'reassign'],
    ['it was pushed, not fetched', { notified_at: AT }, 'idle', 'unfetched', 'reassign'],
    ['it was fetched, not started', { fetched_at: AT }, 'idle', 'unstarted', 'answer'],
    ['its agent is working', {}, 'working', undefined, undefined],
    ['its agent needs input', {}, 'waiting_input', 'busy', 'reassign'],
    ['its agent is blocked', {}, 'blocked', 'busy', 'reassign'],
    ['it runs', { status: 'running' }, 'working', undefined, undefined],
    ['it runs and its agent is offline', { status: 'running' }, 'offline', 'lost', 'reassign'],
    ['it runs and its agent needs input', { status: 'running' }, 'waiting_input', 'waits', 'answer'],
    ['it runs and its agent reports an error', { status: 'running' }, 'error', 'waits', 'answer'],
    ['it runs and its agent is idle', { status: 'running' }, 'idle', 'rests', 'answer'],
    ['it failed', { status: 'failed' }, 'idle', 'failed', 'retry'],
    ['it expired', { status: 'expired' }, 'offline', 'expired', 'retry'],
    ['it was replied to', { status: 'replied' }, 'idle', undefined, undefined],
  ])('when %s', (_, task, status, name, act) => {
    expect(adviceFor(taskOf(task), status, { isForPeople: false, isStuck: false, hasAsked: false })).toEqual(
      name && { name, act },
    );
  });

  test('is to ask a stuck agent, and to settle a task that no agent works on', () => {
    const running = taskOf({ status: 'running' });
    expect(adviceFor(running, 'working', { isForPeople: false, isStuck: true, hasAsked: false })?.name).toBe('stuck');
    expect(adviceFor(running, 'unknown', { isForPeople: true, isStuck: false, hasAsked: false })?.name).toBe('person');
  });

  test('is to answer an agent that has asked, unless nothing can reach it', () => {
    const asked = { isForPeople: false, isStuck: false, hasAsked: true };
    const running = taskOf({ status: 'running' });
    for (const status of ['idle', 'working', 'waiting_input'] as const)
      expect(adviceFor(running, status, asked)).toEqual({ name: 'asked', act: 'answer' });
    expect(adviceFor(running, 'offline', asked)?.name).toBe('lost');
    expect(adviceFor(taskOf({ status: 'replied' }), 'idle', asked)).toBeUndefined();
  });

  test('never names an act that the status does not allow', () => {
    for (const status of TASK_STATUSES) {
      for (const of of [...SESSION_STATUSES, 'unknown'] as const) {
        const advice = adviceFor(taskOf({ status }), of, { isForPeople: false, isStuck: false, hasAsked: false });
        const isLive = status === 'delivered' || status === 'running';
        if (advice !== undefined) expect(advice.act === 'retry').toBe(!isLive);
      }
    }
  });
});

test.each([
  ['builder', 'builder'],
  ["o'neil", "'o'\\''neil'"],
  ['a b; rm', "'a b; rm'"],
])('the command of a worker quotes %s', (alias, quoted) => {
  expect(workerCommand(alias)).toBe(`agenthub work --alias ${quoted} -- claude -p`);
});

function taskOf(more: Partial<TaskRecord>): TaskRecord {
  return {
    task_id: 't',
    status: 'delivered',
    from_name: 'ada',
    to_name: 'bob',
    priority: 'normal',
    content: 't',
    result: null,
    network_id: 'n',
    attempt: 1,
    created_at: AT,
    delivered_at: AT,
    started_at: null,
    completed_at: null,
    expires_at: AT,
    ...more,
  };
}
