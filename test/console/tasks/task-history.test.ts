import { describe, expect, test } from 'vitest';
import { en } from '../../../console/i18n/en.ts';
import { zh } from '../../../console/i18n/zh.ts';
import type { MessageRecord, TaskEventRecord } from '../../../console/live/api.ts';
import { attemptsOf, formerResults, stepsOf } from '../../../console/tasks/task-history.ts';
import { explainTask } from '../../../console/tasks/why.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import type { TaskStatus } from '../../../server/domain/task-status.ts';

const AT = (second: number) => `2026-01-31 12:00:${String(second).padStart(2, '0')}`;
const NOW = Date.parse('2026-01-31T12:01:00Z');

describe('the steps of a task', () => {
  test('include the time since the previous step', () => {
    const steps = stepsOf(
      task({
        status: 'replied',
        notified_at: AT(0),
        fetched_at: AT(5),
        acked_at: AT(5),
        started_at: AT(5),
        completed_at: AT(45),
      }),
    );
    expect(steps.map(({ state, sincePreviousMs }) => [state, sincePreviousMs])).toEqual([
      ['reached', undefined],
      ['reached', 0],
      ['reached', 5_000],
      ['reached', 0],
      ['reached', 0],
      ['reached', 40_000],
    ]);
  });

  test('distinguish pending steps from skipped ones', () => {
    expect(stepsOf(task({ status: 'delivered', fetched_at: AT(5) })).map(({ state }) => state)).toEqual([
      'reached',
      'skipped',
      'reached',
      'next',
      'next',
      'next',
    ]);
    expect(stepsOf(task({ status: 'cancelled', completed_at: AT(5) })).map(({ state }) => state)).toEqual([
      'reached',
      'skipped',
      'skipped',
      'skipped',
      'skipped',
      'reached',
    ]);
  });

  test('count attempts by transitions back into an inbox', () => {
    const events = [
      event(null, 'delivered'),
      event('delivered', 'running'),
      event('running', 'delivered'),
      event('delivered', 'failed'),
      event('failed', 'delivered'),
    ];
    expect(attemptsOf(events).map(({ number, end }) => [number, end?.to_status])).toEqual([
      [1, 'delivered'],
      [2, 'failed'],
      [3, undefined],
    ]);
  });
});

describe('the results of earlier attempts', () => {
  const events = [
    event(null, 'delivered'),
    event('delivered', 'failed'),
    event('failed', 'delivered'),
    event('delivered', 'cancelled'),
    event('cancelled', 'delivered'),
    event('delivered', 'delivered'),
    event('delivered', 'expired'),
    event('expired', 'delivered'),
    event('delivered', 'failed'),
  ];

  test('come from their messages, latest first', () => {
    const messages = [
      message(1, 'task', 'Paint'),
      message(1, 'reply', 'no paint'),
      message(2, 'cancel', 'wrong wall'),
      message(3, 'cancel', 'given to carol'),
      message(5, 'reply', 'no brush'),
    ];
    expect(formerResults(events, messages)).toEqual([
      { attempt: 2, status: 'cancelled', text: 'wrong wall' },
      { attempt: 1, status: 'failed', text: 'no paint' },
    ]);
  });

  test('are omitted when their messages were deleted', () => {
    expect(formerResults(events, [])).toEqual([]);
  });
});

describe('the explanation of a task status', () => {
  const facts = { assignee_status: 'idle', assignee_last_seen_at: AT(0), messages_ahead: 2 } as const;

  test('is available in both languages', () => {
    expect(explainTask(task({}), facts, { now: NOW, language: 'en', words: en }).join(' ')).toBe(
      'bob is idle. 2 messages are ahead of this task. Never pushed to an event stream. Never fetched. Expires in 1h.',
    );
    expect(explainTask(task({}), facts, { now: NOW, language: 'zh-CN', words: zh }).join('')).toContain(
      '前面还有 2 条消息。',
    );
  });

  test('names an agent that is offline or unknown', () => {
    const context = { now: NOW, language: 'en', words: en };
    expect(explainTask(task({}), { ...facts, assignee_status: 'offline' }, context)[0]).toBe(
      'bob has been offline for 1m.',
    );
    expect(
      explainTask(task({}), { ...facts, assignee_status: 'unknown', assignee_last_seen_at: null }, context)[0],
    ).toBe('No agent has ever reported as bob.');
  });
});

function task(more: Partial<TaskRecord>): TaskRecord {
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
    created_at: AT(0),
    delivered_at: AT(0),
    started_at: null,
    completed_at: null,
    expires_at: '2026-01-31 13:01:00',
    ...more,
  };
}

function event(from_status: TaskStatus | null, to_status: TaskStatus): TaskEventRecord {
  return { id: '1', task_id: 't', from_status, to_status, actor: 'ada', detail: null, created_at: AT(0) };
}

function message(attempt: number, type: MessageRecord['type'], content: string): MessageRecord {
  return {
    id: 'm',
    type,
    priority: 'normal',
    content,
    context: null,
    from_session: 'bob',
    created_at: AT(0),
    network_id: 'n',
    task_id: 't',
    attempt,
    alias: 'ada',
    acked_at: null,
  };
}
