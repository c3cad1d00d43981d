import { describe, expect, test } from 'vitest';
import { en } from '../../../console/i18n/en.ts';
import type { Agent } from '../../../console/live/api.ts';
import { mayChangeList, withChange } from '../../../console/overview/longest-waiting.ts';
import { explainBriefly } from '../../../console/tasks/why.ts';
import type { SessionStatus } from '../../../server/domain/session.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';

const AT = '2026-01-31 12:00:00';
const context = { now: Date.parse('2026-01-31T12:10:00Z'), language: 'en' as const, words: en };

describe('the short explanation of a waiting task', () => {
  test.each([
    ['its agent never reported', {}, undefined, ['No agent has ever reported as bob.', 'Never fetched.']],
    ['its agent is offline', {}, agent('offline'), ['bob is offline, last seen 10m ago.', 'Never fetched.']],
    [
      'its agent has several messages',
      {},
      agent('working', 4),
      ['bob is working.', "4 messages are waiting in the agent's inbox.", 'Never fetched.'],
    ],
    ['it is the only message', { notified_at: AT }, agent('idle', 1), ['bob is idle.', 'Pushed 10m ago.']],
    [
      'it was fetched and not acknowledged',
      { notified_at: AT, fetched_at: AT },
      agent('blocked'),
      ['bob is blocked.', 'Fetched 10m ago, not acknowledged.'],
    ],
    [
      'it runs and its agent is offline',
      { status: 'running' },
      agent('offline'),
      ['bob is offline, last seen 10m ago.'],
    ],
    ['it runs', { status: 'running' }, agent('working', 4), []],
    ['it is finished', { status: 'failed' }, agent('offline'), []],
  ] as const)('%s', (_, changes, assignee, expected) => {
    expect(explainBriefly(task('t1', changes), assignee, context)).toEqual(expected);
  });
});

describe('the tasks that have waited longest', () => {
  const longest = [task('t1'), task('t2')];

  test('stay listed when one of them is pushed or fetched', () => {
    expect(withChange(longest, task('t2', { fetched_at: AT }))?.map(({ fetched_at }) => fetched_at)).toEqual([
      undefined,
      AT,
    ]);
  });

  test.each([
    ['one of them is started', task('t1', { status: 'running' }), 2, true],
    ['one of them restarts its wait', task('t1', { delivered_at: '2026-01-31 12:05:00' }), 2, true],
    ['another arrives and fits', task('t3'), 3, true],
    ['another arrives and does not fit', task('t3'), 2, false],
    ['another ends', task('t3', { status: 'failed' }), 3, false],
  ])('are reloaded only when needed: %s', (_, happened, most, expected) => {
    expect(withChange(longest, happened)).toBeUndefined();
    expect(mayChangeList(longest, happened, most)).toBe(expected);
  });
});

function agent(status: SessionStatus, inbox_count = 0): Agent {
  return {
    resume_id: 'r1',
    alias: 'bob',
    status,
    agent: null,
    model: null,
    task: null,
    progress: null,
    last_seen_at: AT,
    last_progress_at: AT,
    status_since: AT,
    network_id: 'net_1',
    inbox_count,
  };
}

function task(task_id: string, changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    task_id,
    status: 'delivered',
    from_name: 'ada',
    to_name: 'bob',
    priority: 'normal',
    content: task_id,
    result: null,
    network_id: 'net_1',
    attempt: 1,
    created_at: AT,
    delivered_at: AT,
    started_at: null,
    completed_at: null,
    expires_at: AT,
    ...changes,
  };
}
