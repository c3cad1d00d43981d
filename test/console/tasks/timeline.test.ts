import { describe, expect, test } from 'vitest';
import { en } from '../../../console/i18n/en.ts';
import { zh } from '../../../console/i18n/zh.ts';
import type { MessageRecord, TaskEventRecord } from '../../../console/live/api.ts';
import { attemptsOf, formerResult, talkOf, withTalk } from '../../../console/tasks/timeline.ts';
import { explainTask } from '../../../console/tasks/why.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import type { TaskStatus } from '../../../server/domain/task-status.ts';

const AT = (second: number) => `2026-01-31 12:00:${String(second).padStart(2, '0')}`;
const NOW = Date.parse('2026-01-31T12:01:00Z');
const START = Date.parse('2026-01-31T12:00:00Z');
const NO_MOMENTS = { notified_at: null, fetched_at: null, acked_at: null, started_at: null, completed_at: null };

describe('the timeline of a task', () => {
  test('merges transitions and steps, with the milliseconds between them', () => {
    const [only] = attemptsOf({
      task: task({ status: 'replied', notified_at: AT(0), fetched_at: AT(5), acked_at: AT(5), completed_at: AT(45) }),
      events: [
        event(null, 'delivered', 120),
        event('delivered', 'running', 5_900),
        event('running', 'replied', 45_000),
      ],
      moments: {
        ...NO_MOMENTS,
        delivered_at: START + 120,
        notified_at: START + 125,
        fetched_at: START + 5_300,
        acked_at: START + 5_900,
      },
    });
    expect(only?.moments.map(({ name, sincePreviousMs }) => [name, sincePreviousMs])).toEqual([
      ['delivered', undefined],
      ['notified_at', 5],
      ['fetched_at', 5_175],
      ['acked_at', 600],
      ['running', 0],
      ['replied', 39_100],
    ]);
    expect(only).toMatchObject({ number: 1, outcome: 'replied', durationMs: 44_880, next: [] });
  });

  test('contains the questions of the agent and the answers, in the attempt that they belong to', () => {
    const attempts = attemptsOf({
      task: task({ status: 'replied', attempt: 2, completed_at: AT(45) }),
      events: [
        event(null, 'delivered', 120),
        event('delivered', 'running', 5_900),
        event('running', 'failed', 20_100),
        event('failed', 'delivered', 30_500),
        event('delivered', 'running', 31_000),
        event('running', 'replied', 45_200),
      ],
      moments: null,
    });
    const said = [
      [5, 'bob'],
      [8, 'ada'],
      [20, 'bob'],
      [45, 'bob'],
      [50, 'ada'],
    ] as const;
    const talk = talkOf(
      'bob',
      said.map(([second, from_session]) => ({
        id: `msg_${second}`,
        type: 'message',
        priority: 'normal',
        content: 'text',
        context: null,
        from_session,
        alias: from_session === 'bob' ? 'ada' : 'bob',
        created_at: AT(second),
        network_id: 'net',
        acked_at: null,
      })),
    );
    expect([0, 1].map((index) => withTalk(attempts, index, talk).map(({ name }) => name))).toEqual([
      ['delivered', 'running', 'asked', 'answered', 'asked', 'failed'],
      ['delivered', 'running', 'asked', 'replied', 'answered'],
    ]);
  });

  test('keeps its order when an event on the stream brings seconds only', () => {
    const [only] = attemptsOf({
      task: task({ notified_at: AT(0), fetched_at: AT(7) }),
      events: [event(null, 'delivered', 800)],
      moments: { ...NO_MOMENTS, delivered_at: START + 800, fetched_at: START + 2_000 },
    });
    expect(only?.moments.map(({ name, at }) => [name, at - START])).toEqual([
      ['delivered', 800],
      ['notified_at', 800],
      ['fetched_at', 7_000],
    ]);
  });

  test('starts with what the record shows, until the events are loaded', () => {
    const running = task({ status: 'running', started_at: AT(9) });
    const [only] = attemptsOf({ task: running, events: [], moments: null });
    expect(only?.moments.map(({ name }) => name)).toEqual(['delivered', 'running']);
    expect(only?.next).toEqual(['completed_at']);
  });

  test.each<[string, Partial<TaskRecord>, readonly string[]]>([
    ['waiting', {}, ['fetched_at', 'running', 'completed_at']],
    ['fetched', { fetched_at: AT(5) }, ['running', 'completed_at']],
    ['acknowledged', { acked_at: AT(5) }, ['running', 'completed_at']],
    ['cancelled', { status: 'cancelled', completed_at: AT(5) }, []],
  ])('names what is still to happen to one that is %s', (_, more, next) => {
    expect(attemptsOf({ task: task(more), events: [], moments: null }).at(-1)?.next).toEqual(next);
  });

  test('has an attempt for every transition back into an inbox', () => {
    const attempts = attemptsOf({
      task: task({ attempt: 3, notified_at: AT(50) }),
      events: [
        event(null, 'delivered', 0),
        event('delivered', 'running', 1_000),
        event('running', 'delivered', 5_000),
        event('delivered', 'failed', 7_000),
        event('failed', 'delivered', 50_000),
      ],
      moments: null,
    });
    expect(attempts.map(({ number, outcome, durationMs }) => [number, outcome, durationMs])).toEqual([
      [1, 'delivered', 5_000],
      [2, 'failed', 2_000],
      [3, undefined, undefined],
    ]);
    expect(attempts.map(({ moments }) => moments.length)).toEqual([2, 2, 2]);
  });

  test('counts attempts from the last when the hub returns only the latest events', () => {
    const events = [event('running', 'failed', 1_000), event('failed', 'delivered', 2_000)];
    const attempts = attemptsOf({ task: task({ attempt: 9 }), events, moments: null });
    expect(attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [8, 'failed'],
      [9, undefined],
    ]);
  });
});

describe('the results of earlier attempts', () => {
  const messages = [
    message(1, 'task', 'Paint'),
    message(1, 'reply', 'no paint'),
    message(2, 'cancel', 'wrong wall'),
    message(3, 'cancel', 'given to carol'),
    message(5, 'reply', 'no brush'),
  ];

  test.each<[number, TaskStatus, string | undefined]>([
    [1, 'failed', 'no paint'],
    [2, 'cancelled', 'wrong wall'],
    [3, 'delivered', undefined],
    [4, 'expired', undefined],
  ])('come from their messages: attempt %i', (number, outcome, result) => {
    expect(formerResult({ number, outcome, moments: [], durationMs: 0, next: [] }, messages)).toBe(result);
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

  test('names the task that the agent works on instead', () => {
    const [running, later] = [task({ status: 'running', started_at: AT(0) }), task({ content: 'Mow the lawn' })];
    const context = { now: NOW, language: 'en', words: en };
    expect(explainTask(running, facts, context, later)[0]).toBe('bob works on another task: Mow the lawn.');
  });

  test('names an agent that is offline or unknown', () => {
    const context = { now: NOW, language: 'en', words: en };
    expect(explainTask(task({}), { ...facts, assignee_status: 'offline' }, context)[0]).toBe(
      'bob is offline, last seen 1m ago.',
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

function event(from_status: TaskStatus | null, to_status: TaskStatus, afterMs: number): TaskEventRecord {
  const created_at_ms = START + afterMs;
  return {
    id: `${afterMs}`,
    task_id: 't',
    from_status,
    to_status,
    actor: 'ada',
    detail: null,
    created_at: AT(0),
    created_at_ms,
  };
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
