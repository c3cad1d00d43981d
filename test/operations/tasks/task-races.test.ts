// Concurrent operations on one task: exactly one wins, and the others see the state it left.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { type Fixture, openFixture, outcomeOf, rowsOf, send } from '../../support/fixture.ts';

const CONTENDERS = 50;
const AT_ONCE = Array.from({ length: CONTENDERS }, (_, index) => index);

const reply = (fixture: Fixture, task_id: string, index: number) =>
  fixture.ask(sendReply, { alias: 'alice', text: `answer ${index}`, in_reply_to: task_id, from_session: 'bob' });
const cancel = (fixture: Fixture, task_id: string, index: number) =>
  fixture.ask(cancelTask, { task_id, reason: `reason ${index}` });
const complete = (fixture: Fixture, task_id: string, index: number) =>
  fixture.ask(reportCompletion, { alias: 'bob', task: task_id, result: `result ${index}` });

const endings = (fixture: Fixture) =>
  rowsOf(fixture, "SELECT to_status FROM task_events WHERE to_status NOT IN ('delivered', 'running')");

/** How often each result occurred. */
async function metrics(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const words: Record<string, number> = {};
  for (const word of await Promise.all(calls.map(outcomeOf))) words[word] = (words[word] ?? 0) + 1;
  return words;
}

describe('fifty concurrent', () => {
  test.each<[string, (fixture: Fixture, task_id: string, index: number) => Promise<unknown>]>([
    ['replies', reply],
    ['cancels', cancel],
    ['replies and cancels', (fixture, task_id, index) => (index % 2 === 0 ? cancel : reply)(fixture, task_id, index)],
  ])('%s: one wins, 49 see that the task is terminal', async (_, contend) => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    expect(await metrics(AT_ONCE.map((index) => contend(fixture, task_id, index)))).toEqual({
      ok: 1,
      'task is terminal': 49,
    });
    expect(await endings(fixture)).toHaveLength(1);
    expect(await rowsOf(fixture, "SELECT count(*) AS count FROM messages WHERE type IN ('reply', 'cancel')")).toEqual([
      { count: 1 },
    ]);
  });

  test('completions: all are recorded, one is the reply', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    expect(await metrics(AT_ONCE.map((index) => complete(fixture, task_id, index)))).toEqual({ ok: CONTENDERS });
    expect(await endings(fixture)).toEqual([{ to_status: 'replied' }]);
    expect(await rowsOf(fixture, "SELECT content FROM messages WHERE type = 'reply'")).toEqual(
      await rowsOf(fixture, 'SELECT result AS content FROM tasks'),
    );
    expect(await rowsOf(fixture, 'SELECT count(*) AS count FROM completions')).toEqual([{ count: CONTENDERS }]);
  });

  test('completions and cancels: one ends the task, and the task shows its result', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    await metrics(AT_ONCE.map((index) => (index % 2 === 0 ? complete : cancel)(fixture, task_id, index)));
    expect(await endings(fixture)).toHaveLength(1);
    expect(await rowsOf(fixture, 'SELECT result FROM tasks')).toEqual([{ result: 'result 0' }]);
  });

  test('retries: one wins, 49 see a delivered task', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    await cancel(fixture, task_id, 0);
    const words = await metrics(AT_ONCE.map(() => fixture.ask(retryTask, { task_id })));
    expect(words).toEqual({ ok: 1, 'task status is delivered, not retryable': 49 });
    expect(await rowsOf(fixture, 'SELECT attempt FROM tasks')).toEqual([{ attempt: 2 }]);
    expect(
      await rowsOf(fixture, "SELECT count(*) AS live FROM messages WHERE type = 'task' AND withdrawn_at IS NULL"),
    ).toEqual([{ live: 1 }]);
  });

  test('acknowledgements: one starts the task', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const responses = await Promise.all(AT_ONCE.map(() => fixture.ask(sendAck, { task_id, from_session: 'bob' })));
    expect(responses.map(({ updated }) => updated).reduce((sum, updated) => sum + updated, 0)).toBe(1);
    expect(await rowsOf(fixture, "SELECT count(*) AS starts FROM task_events WHERE to_status = 'running'")).toEqual([
      { starts: 1 },
    ]);
  });

  test('acknowledgements of its message: all succeed, one starts the task', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    const words = await metrics(AT_ONCE.map(() => fixture.ask(ackInbox, { alias: 'bob', message_id: task_id })));
    expect(words).toEqual({ ok: CONTENDERS });
    expect(await rowsOf(fixture, "SELECT count(*) AS starts FROM task_events WHERE to_status = 'running'")).toEqual([
      { starts: 1 },
    ]);
  });

  test('a retry and a late reply of the old attempt: never both', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    await cancel(fixture, task_id, 0);
    await Promise.all([
      ...AT_ONCE.map((index) => outcomeOf(reply(fixture, task_id, index))),
      outcomeOf(fixture.ask(retryTask, { task_id })),
    ]);
    expect(await rowsOf(fixture, 'SELECT status, attempt FROM tasks')).toEqual([{ status: 'delivered', attempt: 2 }]);
    expect(await rowsOf(fixture, "SELECT count(*) AS count FROM messages WHERE type = 'reply'")).toEqual([
      { count: 0 },
    ]);
  });
});
