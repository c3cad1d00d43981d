// Every task state × every operation: the new state, the exact error, and the side effects. The operations are grouped
// by the verbs of the transition table, and the expected results are written out here.
import { describe, expect, test } from 'vitest';
import { MOVES, TASK_STATUSES, type TaskStatus, type Verb } from '../../../server/domain/task-status.ts';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { expire } from '../../../server/sweeps/sweeps.ts';
import {
  dump,
  type Fixture,
  listenTo,
  openFixture,
  outcomeOf,
  type Row,
  report,
  rowsOf,
  send,
} from '../../support/fixture.ts';
import { NOON } from '../../support/manual-clock.ts';

const TTL_SECONDS = 1_000;
const MINUTE_MS = 60_000;

/** Brings a new task from alice to bob into each state. carol is the agent to reassign it to. */
const WAYS: Record<TaskStatus, (fixture: Fixture, task_id: string) => Promise<unknown>> = {
  delivered: async () => {},
  running: (fixture, task_id) => fixture.ask(sendAck, { task_id, from_session: 'bob' }),
  replied: (fixture, task_id) => reply(fixture, task_id, 'replied'),
  failed: (fixture, task_id) => reply(fixture, task_id, 'failed'),
  cancelled: (fixture, task_id) => fixture.ask(cancelTask, { task_id, reason: 'enough', from_session: 'alice' }),
  expired: async (fixture) => {
    fixture.hub.clock.advance(TTL_SECONDS * 1_000);
    await expire(fixture.hub);
  },
};

const reply = (fixture: Fixture, task_id: string, status: string) =>
  fixture.ask(sendReply, { alias: 'alice', text: 'the answer', in_reply_to: task_id, status, from_session: 'bob' });

type Case = { verb: Verb | null; act: (fixture: Fixture, task_id: string) => Promise<unknown> };

const OPERATIONS = {
  send_ack: { verb: 'start', act: (fixture, task_id) => fixture.ask(sendAck, { task_id, from_session: 'bob' }) },
  ack_inbox: { verb: 'start', act: (fixture, task_id) => fixture.ask(ackInbox, { alias: 'bob', message_id: task_id }) },
  report_working: {
    verb: 'start',
    act: (fixture, task_id) => report(fixture, 'bob', { status: 'working', task: task_id }),
  },
  report_idle: { verb: null, act: (fixture, task_id) => report(fixture, 'bob', { status: 'idle', task: task_id }) },
  reply_replied: { verb: 'reply', act: (fixture, task_id) => reply(fixture, task_id, 'replied') },
  reply_failed: { verb: 'reply', act: (fixture, task_id) => reply(fixture, task_id, 'failed') },
  reply_cancelled: { verb: 'reply', act: (fixture, task_id) => reply(fixture, task_id, 'cancelled') },
  report_completion: {
    verb: 'complete',
    act: (fixture, task_id) => fixture.ask(reportCompletion, { alias: 'bob', task: task_id, result: 'the result' }),
  },
  cancel_task: {
    verb: 'cancel',
    act: (fixture, task_id) => fixture.ask(cancelTask, { task_id, reason: 'no more', from_session: 'alice' }),
  },
  reassign_task: {
    verb: 'reassign',
    act: (fixture, task_id) => fixture.ask(reassignTask, { task_id, new_alias: 'carol', from_session: 'alice' }),
  },
  retry_task: { verb: 'retry', act: (fixture, task_id) => fixture.ask(retryTask, { task_id, from_session: 'alice' }) },
  retry_elsewhere: {
    verb: 'retry',
    act: (fixture, task_id) => fixture.ask(retryTask, { task_id, new_alias: 'carol', from_session: 'alice' }),
  },
  time: {
    verb: 'expire',
    act: async (fixture) => {
      fixture.hub.clock.set(NOON + TTL_SECONDS * 1_000);
      await expire(fixture.hub);
    },
  },
} as const satisfies Record<string, Case>;

type Name = keyof typeof OPERATIONS;

const TERMINAL = 'task is terminal';
const NOT = (status: string) => `task status is ${status}, not retryable`;

const RETRIED: Record<TaskStatus, string> = {
  delivered: NOT('delivered'),
  running: NOT('running'),
  replied: NOT('replied'),
  failed: 'delivered',
  cancelled: 'delivered',
  expired: 'delivered',
};

/** The new state, the exact error string, or `-` for success without a state change. */
const OUTCOMES: Record<Name, Record<TaskStatus, string>> = {
  send_ack: {
    delivered: 'running',
    running: '-',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  ack_inbox: { delivered: 'running', running: '-', replied: '-', failed: '-', cancelled: '-', expired: '-' },
  report_working: { delivered: 'running', running: '-', replied: '-', failed: '-', cancelled: '-', expired: '-' },
  report_idle: { delivered: '-', running: '-', replied: '-', failed: '-', cancelled: '-', expired: '-' },
  reply_replied: {
    delivered: 'replied',
    running: 'replied',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  reply_failed: {
    delivered: 'failed',
    running: 'failed',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  reply_cancelled: {
    delivered: 'cancelled',
    running: 'cancelled',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  report_completion: {
    delivered: 'replied',
    running: 'replied',
    replied: '-',
    failed: '-',
    cancelled: '-',
    expired: '-',
  },
  cancel_task: {
    delivered: 'cancelled',
    running: 'cancelled',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  reassign_task: {
    delivered: 'delivered',
    running: 'delivered',
    replied: TERMINAL,
    failed: TERMINAL,
    cancelled: TERMINAL,
    expired: TERMINAL,
  },
  retry_task: RETRIED,
  retry_elsewhere: RETRIED,
  time: { delivered: 'expired', running: 'expired', replied: '-', failed: '-', cancelled: '-', expired: '-' },
};

type TimeOf = (now: number) => number | null;
const now: TimeOf = (moment) => moment;

/**
 * The side effects of a transition: the changed columns, the messages created and removed, the events with their
 * recipients, and the actor.
 */
type With = {
  changes: Record<string, string | number | null | TimeOf>;
  attempts?: 1;
  gone?: true;
  created?: [alias: string, type: string, event: string][];
  actor: string;
};

const STARTED_OVER: With['changes'] = {
  result: null,
  started_at: null,
  completed_at: null,
  delivered_at: now,
  expires_at: (moment) => moment + TTL_SECONDS * 1_000,
};

const SIDE_EFFECTS: Partial<Record<Name, With>> = {
  send_ack: { changes: { started_at: now }, actor: 'bob' },
  ack_inbox: { changes: { started_at: now }, gone: true, actor: 'bob' },
  report_working: { changes: { started_at: now }, actor: 'bob' },
  reply_replied: {
    changes: { result: 'the answer', completed_at: now },
    gone: true,
    created: [['alice', 'reply', 'new_reply']],
    actor: 'bob',
  },
  reply_failed: {
    changes: { result: 'the answer', completed_at: now },
    gone: true,
    created: [['alice', 'reply', 'new_reply']],
    actor: 'bob',
  },
  reply_cancelled: {
    changes: { result: 'the answer', completed_at: now },
    gone: true,
    created: [['alice', 'reply', 'new_reply']],
    actor: 'bob',
  },
  report_completion: {
    changes: { result: 'the result', completed_at: now },
    gone: true,
    created: [['alice', 'reply', 'new_reply']],
    actor: 'bob',
  },
  cancel_task: {
    changes: { result: 'no more', completed_at: now },
    gone: true,
    created: [['bob', 'cancel', 'new_message']],
    actor: 'alice',
  },
  reassign_task: {
    changes: { to_name: 'carol', started_at: null, delivered_at: now },
    attempts: 1,
    gone: true,
    created: [
      ['bob', 'cancel', 'new_message'],
      ['carol', 'task', 'new_task'],
    ],
    actor: 'alice',
  },
  retry_task: {
    changes: STARTED_OVER,
    attempts: 1,
    created: [['bob', 'task', 'new_task']],
    actor: 'alice',
  },
  retry_elsewhere: {
    changes: { ...STARTED_OVER, to_name: 'carol' },
    attempts: 1,
    created: [['carol', 'task', 'new_task']],
    actor: 'alice',
  },
  time: { changes: { completed_at: now }, gone: true, actor: 'hub' },
};

async function openTask(status: TaskStatus): Promise<Fixture & { task_id: string }> {
  const fixture = await openFixture();
  const task_id = await send(fixture, { ttl_seconds: TTL_SECONDS, priority: 'high', context: 'the context' });
  fixture.hub.clock.advance(MINUTE_MS);
  await WAYS[status](fixture, task_id);
  fixture.hub.clock.advance(MINUTE_MS);
  return { ...fixture, task_id };
}

const PENDING = 'acked_at IS NULL AND withdrawn_at IS NULL';
const inboxes = (fixture: Fixture) =>
  rowsOf(fixture, `SELECT alias, type, id, attempt FROM messages WHERE ${PENDING} ORDER BY alias, message_seq`);
const taskRow = async (fixture: Fixture): Promise<Row> => ({
  ...(await rowsOf(fixture, 'SELECT * FROM tasks'))[0],
  acked_at: null,
});
const history = (fixture: Fixture) =>
  rowsOf(fixture, 'SELECT from_status, to_status, actor FROM task_events ORDER BY event_seq');

/** What is in `after` and not in `before`. */
function added(before: Row[], after: Row[]): Row[] {
  const known = new Set(before.map((row) => JSON.stringify(row)));
  return after.filter((row) => !known.has(JSON.stringify(row)));
}

function resolved(changes: With['changes'], moment: number): Row {
  return Object.fromEntries(
    Object.entries(changes).map(([column, value]) => [column, typeof value === 'function' ? value(moment) : value]),
  );
}

const CASES = Object.keys(OPERATIONS).flatMap((name) =>
  TASK_STATUSES.map((status) => [name as Name, status, OUTCOMES[name as Name][status]] as const),
);
const isStatus = (word: string): word is TaskStatus => TASK_STATUSES.some((status) => status === word);

test('every verb of the transition table has an operation here and agrees with the table', () => {
  expect(
    new Set(
      Object.values(OPERATIONS)
        .map(({ verb }) => verb)
        .filter((verb) => verb !== null),
    ),
  ).toEqual(new Set(Object.keys(MOVES)));
  for (const [name, status, outcome] of CASES) {
    const { verb } = OPERATIONS[name];
    if (verb === null) continue;
    const move: { from: readonly TaskStatus[]; to: readonly TaskStatus[] } = MOVES[verb];
    expect(move.from.includes(status), `${name} from ${status}`).toBe(isStatus(outcome));
    if (isStatus(outcome)) expect(move.to).toContain(outcome);
  }
});

describe('a transition', () => {
  test.each(CASES.filter(([, , outcome]) => isStatus(outcome)))(
    '%s on a %s task makes it %s',
    async (name, status, outcome) => {
      const fixture = await openTask(status);
      const before = { task: await taskRow(fixture), inboxes: await inboxes(fixture), history: await history(fixture) };
      const received = listenTo(fixture);
      expect(await outcomeOf(OPERATIONS[name].act(fixture, fixture.task_id))).toBe('ok');
      const moment = fixture.hub.clock.now();
      const {
        changes,
        attempts = 0,
        gone = false,
        created = [],
        actor,
      } = SIDE_EFFECTS[name] ?? { changes: {}, actor: '' };
      const attempt = Number(before.task['attempt']) + attempts;
      expect(await taskRow(fixture)).toEqual({
        ...before.task,
        ...resolved(changes, moment),
        attempt,
        status: outcome,
      });
      expect((await history(fixture)).slice(before.history.length)).toEqual([
        { from_status: status, to_status: outcome, actor },
      ]);

      const after = await inboxes(fixture);
      expect(after.some(({ id }) => id === fixture.task_id)).toBe(
        !gone && before.inboxes.some(({ id }) => id === fixture.task_id),
      );
      const arrived = added(before.inboxes, after);
      expect(arrived.map(({ alias, type }) => [alias, type])).toEqual(created.map(([alias, type]) => [alias, type]));
      for (const message of arrived) if (message['type'] === 'task') expect(message).toMatchObject({ attempt });

      const notified = received.filter(({ alias }) => alias !== null).map(({ alias, name: event }) => [alias, event]);
      expect(notified.sort()).toEqual(created.map(([alias, , event]) => [alias, event]).sort());
      const shown = received.filter(({ name: event }) => event === 'task').map(({ data }) => JSON.parse(data));
      expect(shown).toEqual([expect.objectContaining({ task_id: fixture.task_id, status: outcome, attempt })]);
    },
  );
});

describe('a rejection changes nothing', () => {
  test.each(CASES.filter(([, , outcome]) => !isStatus(outcome) && outcome !== '-'))(
    '%s on a %s task: %s',
    async (name, status, error) => {
      const fixture = await openTask(status);
      const before = await dump(fixture);
      const events = listenTo(fixture);
      expect(await outcomeOf(OPERATIONS[name].act(fixture, fixture.task_id))).toBe(error);
      expect(await dump(fixture)).toEqual(before);
      expect(events).toEqual([]);
    },
  );
});

describe('an operation without a transition leaves the task unchanged and sends no reply', () => {
  test.each(CASES.filter(([, , outcome]) => outcome === '-'))('%s on a %s task', async (name, status) => {
    const fixture = await openTask(status);
    const before = { task: await taskRow(fixture), inboxes: await inboxes(fixture), history: await history(fixture) };
    const seen = listenTo(fixture);
    expect(await outcomeOf(OPERATIONS[name].act(fixture, fixture.task_id))).toBe('ok');
    expect(await taskRow(fixture)).toEqual(before.task);
    expect(await history(fixture)).toEqual(before.history);
    expect(added(before.inboxes, await inboxes(fixture))).toEqual([]);
    expect(seen.filter(({ name: event }) => event !== 'session')).toEqual([]);
  });
});
