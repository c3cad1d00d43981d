// A late worker, whose attempt was superseded, cannot overwrite the result of its successor.
import { expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { dump, type Fixture, openFixture, outcomeOf, report, rowsOf, send } from '../../support/fixture.ts';

const reply = (fixture: Fixture, in_reply_to: string, from_session: string, text = 'my answer') =>
  fixture.ask(sendReply, { alias: 'alice', text, in_reply_to, from_session });

const task = async (fixture: Fixture, task_id: string) => (await fixture.ask(getTask, { task_id })).task;

/** The message id of an attempt. */
async function messageOf(fixture: Fixture, attempt: number): Promise<string> {
  const [row] = await rowsOf(fixture, "SELECT id FROM messages WHERE type = 'task' AND attempt = ?", attempt);
  return String(row?.['id']);
}

/** bob had the task, now carol has it. */
async function openReassigned(): Promise<Fixture & { task_id: string }> {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await fixture.ask(reassignTask, { task_id, new_alias: 'carol' });
  return { ...fixture, task_id };
}

/** bob had the task, cancelled it, and has it again. */
async function openRetried(): Promise<Fixture & { task_id: string }> {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await fixture.ask(cancelTask, { task_id });
  await fixture.ask(retryTask, { task_id });
  return { ...fixture, task_id };
}

test('a former assignee cannot reply by task_id, and the current one can', async () => {
  const fixture = await openReassigned();
  const before = await dump(fixture);
  expect(await outcomeOf(reply(fixture, fixture.task_id, 'bob'))).toBe('task is terminal');
  expect(await dump(fixture)).toEqual(before);
  expect(await outcomeOf(reply(fixture, fixture.task_id, 'carol'))).toBe('ok');
  expect(await task(fixture, fixture.task_id)).toMatchObject({ status: 'replied', result: 'my answer', attempt: 2 });
});

test('a reply to the message of a superseded later attempt is rejected from any sender', async () => {
  const fixture = await openReassigned();
  const second = await messageOf(fixture, 2);
  await fixture.ask(reassignTask, { task_id: fixture.task_id, new_alias: 'dan' });
  for (const from of ['carol', 'dan', 'hub'])
    expect(await outcomeOf(reply(fixture, second, from))).toBe('task is terminal');
  expect(await outcomeOf(reply(fixture, await messageOf(fixture, 3), 'dan'))).toBe('ok');
});

test('a reply to the message of an attempt before a retry is rejected', async () => {
  const fixture = await openRetried();
  const second = await messageOf(fixture, 2);
  await fixture.ask(cancelTask, { task_id: fixture.task_id });
  await fixture.ask(retryTask, { task_id: fixture.task_id });
  expect(await outcomeOf(reply(fixture, second, 'bob'))).toBe('task is terminal');
  expect((await task(fixture, fixture.task_id)).status).toBe('delivered');
});

test('an agent that has the task again is not a former assignee', async () => {
  const fixture = await openReassigned();
  await fixture.ask(reassignTask, { task_id: fixture.task_id, new_alias: 'bob' });
  expect(await outcomeOf(reply(fixture, fixture.task_id, 'carol'))).toBe('task is terminal');
  expect(await outcomeOf(reply(fixture, fixture.task_id, 'bob'))).toBe('ok');
});

test('an agent that never had the task can settle it by its task_id', async () => {
  const fixture = await openReassigned();
  expect(await outcomeOf(reply(fixture, fixture.task_id, 'hub'))).toBe('ok');
});

test("a late completion is recorded and does not affect the successor's task", async () => {
  const fixture = await openReassigned();
  await fixture.ask(sendAck, { task_id: fixture.task_id, from_session: 'carol' });
  for (const words of [fixture.task_id, 'build it']) {
    expect(await outcomeOf(fixture.ask(reportCompletion, { alias: 'bob', task: words, result: 'too late' }))).toBe(
      'ok',
    );
  }
  expect(await task(fixture, fixture.task_id)).toMatchObject({ status: 'running', result: null, to_name: 'carol' });
  expect(await rowsOf(fixture, 'SELECT task_id FROM completions')).toEqual([{ task_id: null }, { task_id: null }]);
  expect((await fixture.ask(getInbox, { alias: 'alice' })).messages).toEqual([]);
});

test('a late work report starts nothing', async () => {
  const fixture = await openReassigned();
  await report(fixture, 'bob', { status: 'working', task: fixture.task_id });
  expect((await task(fixture, fixture.task_id)).status).toBe('delivered');
});

test('a completion that names the message of a former attempt does not affect the current one', async () => {
  const fixture = await openRetried();
  const second = await messageOf(fixture, 2);
  await fixture.ask(cancelTask, { task_id: fixture.task_id });
  await fixture.ask(retryTask, { task_id: fixture.task_id });
  await fixture.ask(reportCompletion, { alias: 'bob', task: second, result: 'too late' });
  expect((await task(fixture, fixture.task_id)).status).toBe('delivered');
});

test('a late acknowledgement succeeds, and starts nothing for the successor', async () => {
  const fixture = await openReassigned();
  expect(await outcomeOf(fixture.ask(ackInbox, { alias: 'bob', message_id: fixture.task_id }))).toBe('ok');
  expect((await task(fixture, fixture.task_id)).status).toBe('delivered');
  expect((await fixture.ask(getInbox, { alias: 'carol' })).messages).toHaveLength(1);
});

test('a new assignee can acknowledge by task_id, which refers to the live attempt', async () => {
  const fixture = await openReassigned();
  expect(await outcomeOf(fixture.ask(ackInbox, { alias: 'carol', message_id: fixture.task_id }))).toBe('ok');
  expect((await task(fixture, fixture.task_id)).status).toBe('running');
  expect((await fixture.ask(getInbox, { alias: 'carol' })).messages).toEqual([]);
});

test('after a retry to the same agent, the task_id refers to the live attempt there as well', async () => {
  const fixture = await openRetried();
  expect(await outcomeOf(fixture.ask(ackInbox, { alias: 'bob', message_id: fixture.task_id }))).toBe('ok');
  expect((await task(fixture, fixture.task_id)).status).toBe('running');
  expect((await fixture.ask(getInbox, { alias: 'bob' })).messages.map(({ type }) => type)).toEqual(['cancel']);
});

test('a former assignee remains one after a rename', async () => {
  const fixture = await openFixture();
  await report(fixture, 'bob', { resume_id: 'the-worker' });
  const task_id = await send(fixture);
  await fixture.ask(reassignTask, { task_id, new_alias: 'carol' });
  await report(fixture, 'bobby', { resume_id: 'the-worker' });
  expect(await outcomeOf(reply(fixture, task_id, 'bobby'))).toBe('task is terminal');
});

test('the marks of an attempt end with it', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  await fixture.ask(getInbox, { alias: 'bob' });
  await fixture.ask(ackInbox, { alias: 'bob', message_id: task_id });
  expect(await task(fixture, task_id)).toMatchObject({ fetched_at: expect.any(String), acked_at: expect.any(String) });
  await fixture.ask(reassignTask, { task_id, new_alias: 'carol' });
  const moved = await task(fixture, task_id);
  expect(moved).not.toHaveProperty('fetched_at');
  expect(moved).not.toHaveProperty('acked_at');
  expect(moved).not.toHaveProperty('notified_at');
});
