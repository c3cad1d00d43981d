// Mail to people: their names are known, an answer does not settle its task, and reading it acknowledges it.
import { describe, expect, test } from 'vitest';
import { messageNotFound } from '../../../server/domain/errors.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { listMessages } from '../../../server/operations/messages/list-messages.ts';
import { readMessages } from '../../../server/operations/messages/read-messages.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { as, type Fixture, openFixture, outcomeOf, report, send, withRole } from '../../support/fixture.ts';
import { foundNetwork } from '../../support/test-hub.ts';

async function message(fixture: Fixture, alias: string, rest: object = {}): Promise<string> {
  return (await fixture.ask(sendMessage, { alias, message: 'which branch?', from_session: 'bob', ...rest })).message_id;
}

const unreadOf = async (fixture: Fixture, alias: string) =>
  (await fixture.ask(listMessages, { alias, pending: 'true' })).messages.map(({ id }) => id);

describe('a send to a person', () => {
  test('warns of nothing, or of a username in another case, which nobody reads', async () => {
    const fixture = await openFixture();
    const { username } = fixture.caller;
    const other = username.toUpperCase();
    const message = { message: 'hello', from_session: 'bob' };
    const task = { task: 'Paint the wall', from_session: 'bob' };
    expect((await fixture.ask(sendMessage, { ...message, alias: username })).warning).toBeUndefined();
    expect((await fixture.ask(sendTask, { ...task, alias: username })).warning).toBeUndefined();
    const named = `nobody reads the inbox of ${other}: the username is ${username}`;
    expect((await fixture.ask(sendMessage, { ...message, alias: other })).warning).toContain(named);
    expect((await fixture.ask(sendTask, { ...task, alias: other })).warning).toContain(named);
    expect(await unreadOf(fixture, other)).toHaveLength(2);
  });

  test('of another network warns like any unknown name', async () => {
    const fixture = await openFixture();
    const { username } = await foundNetwork(fixture.hub);
    const { warning } = await fixture.ask(sendMessage, { alias: username, message: 'hello', from_session: 'bob' });
    expect(warning).toContain(`no agent has ever reported as ${username}`);
  });
});

describe('an answer to a task', () => {
  test('reaches its agent with the id of the task, which continues', async () => {
    const fixture = await openFixture();
    await report(fixture, 'bob');
    const task_id = await send(fixture, { alias: 'bob' });
    await fixture.ask(sendAck, { task_id, alias: 'bob' });
    const id = await message(fixture, 'bob', { message: 'use main', in_reply_to: task_id, from_session: 'ann' });
    expect((await fixture.ask(getTask, { task_id })).task.status).toBe('running');
    const { messages } = await fixture.ask(getInbox, { alias: 'bob' });
    expect(messages.find((each) => each.id === id)).toMatchObject({
      type: 'message',
      content: 'use main',
      in_reply_to: task_id,
    });
  });

  test('may also answer a message, but nothing that does not exist here', async () => {
    const fixture = await openFixture();
    const question = await message(fixture, 'ann');
    await message(fixture, 'bob', { message: 'main', in_reply_to: question, from_session: 'ann' });
    const [answer] = (await fixture.ask(getInbox, { alias: 'bob' })).messages;
    expect(answer).toMatchObject({ in_reply_to: question });
    const stranger = as(fixture, await foundNetwork(fixture.hub));
    for (const in_reply_to of ['task_none', question])
      expect(await outcomeOf(message(stranger, 'bob', { in_reply_to }))).toBe('task not found');
  });
});

describe('reading messages', () => {
  test('acknowledges those to oneself, once', async () => {
    const fixture = await openFixture();
    const { username } = fixture.caller;
    const ids = [await message(fixture, username), await message(fixture, username, { message: 'and which test?' })];
    expect(await unreadOf(fixture, username)).toEqual(ids.toReversed());
    expect(await fixture.ask(readMessages, { message_ids: [...ids, ...ids] })).toEqual({ ok: true, read: 2 });
    expect(await unreadOf(fixture, username)).toEqual([]);
    expect(await fixture.ask(readMessages, { message_ids: ids })).toEqual({ ok: true, read: 0 });
  });

  test('of the hub is for everybody who may write', async () => {
    const fixture = await openFixture();
    const id = await message(fixture, 'hub');
    expect(await outcomeOf(withRole(fixture, 'viewer').ask(readMessages, { message_ids: [id] }))).toBe(
      'permission_denied',
    );
    expect(await fixture.ask(readMessages, { message_ids: [id] })).toEqual({ ok: true, read: 1 });
  });

  test('changes nothing if one of them is of an agent, of another network, or a task', async () => {
    const fixture = await openFixture();
    const { username } = fixture.caller;
    const own = await message(fixture, username);
    const ofAgent = await message(fixture, 'bob');
    const task = await send(fixture, { alias: username });
    const stranger = as(fixture, await foundNetwork(fixture.hub));
    const elsewhere = await message(stranger, stranger.caller.username);
    for (const id of [ofAgent, elsewhere, 'msg_none'])
      expect(await outcomeOf(fixture.ask(readMessages, { message_ids: [own, id] }))).toBe(messageNotFound().code);
    await expect(fixture.ask(readMessages, { message_ids: [own, task] })).rejects.toThrow(`${task} is a task`);
    expect(await unreadOf(fixture, username)).toContain(own);
  });

  test('of more than a hundred messages is refused with the limit', async () => {
    const message_ids = Array.from({ length: 101 }, (_, index) => `msg_${index}`);
    const { ask } = await openFixture();
    await expect(ask(readMessages, { message_ids })).rejects.toThrow('message_ids must have at most 100 items');
  });
});
