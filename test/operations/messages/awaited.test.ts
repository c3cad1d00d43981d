// What an agent waits for is on the first page of its inbox, however many tasks wait there too.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { type Fixture, openFixture, report, send } from '../../support/fixture.ts';

/** A full page. */
const WAITING = 10;

type Case = [what: string, send: (fixture: Fixture) => Promise<unknown>];

const say = (fixture: Fixture, rest: object = {}) =>
  fixture.ask(sendMessage, { alias: 'bob', message: 'yes', from_session: 'alice', ...rest });
const reply = (fixture: Fixture, rest: object = {}) =>
  fixture.ask(sendReply, { alias: 'bob', text: 'yes', from_session: 'alice', ...rest });
const start = async (fixture: Fixture, message_id: string) => {
  await fixture.ask(ackInbox, { alias: 'bob', message_id });
  return message_id;
};
const running = async (fixture: Fixture) => start(fixture, await send(fixture, { task: 'first' }));
const question = async (fixture: Fixture, rest: object = {}) =>
  (await fixture.ask(sendMessage, { alias: 'alice', message: 'which?', from_session: 'bob', ...rest })).message_id;

const AWAITED: Case[] = [
  ['a message about a task that it runs', async (on) => say(on, { in_reply_to: await running(on) })],
  ['an answer to its question', async (on) => say(on, { in_reply_to: await question(on) })],
  ['a reply to its question', async (on) => reply(on, { in_reply_to: await question(on) })],
  [
    'a question about a task that it sent',
    async (on) => say(on, { in_reply_to: await send(on, { alias: 'alice', from_session: 'bob' }) }),
  ],
  ...(['waiting_input', 'blocked', 'error'] as const).flatMap<Case>((status) => [
    [
      `any message while it reports ${status}`,
      async (on) => {
        await report(on, 'bob', { status });
        return say(on);
      },
    ],
    [
      `any reply while it reports ${status}`,
      async (on) => {
        await report(on, 'bob', { status });
        return reply(on);
      },
    ],
  ]),
  [
    'any message while it has gone silent after it reported waiting_input',
    async (on) => {
      await report(on, 'bob', { status: 'waiting_input' });
      on.hub.clock.advance(1_800_000);
      return say(on);
    },
  ],
  ['the cancellation of a task that it runs', async (on) => on.ask(cancelTask, { task_id: await running(on) })],
  [
    'the loss of a task that it runs to another agent',
    async (on) => on.ask(reassignTask, { task_id: await running(on), new_alias: 'carol' }),
  ],
];

const ORDINARY: Case[] = [
  ['a message', (on) => say(on)],
  ['a reply', (on) => reply(on)],
  ['a message about a task that has not started', async (on) => say(on, { in_reply_to: await send(on) })],
  ['the cancellation of a task that has not started', async (on) => on.ask(cancelTask, { task_id: await send(on) })],
  [
    'an answer to the question of another',
    async (on) => say(on, { in_reply_to: await question(on, { from_session: 'carol' }) }),
  ],
  [
    'a reply to its broadcast',
    async (on) => {
      await report(on, 'alice');
      await on.ask(broadcast, { content: 'frozen', from_session: 'bob' });
      const [sent] = (await on.ask(getInbox, { alias: 'alice' })).messages;
      return reply(on, { in_reply_to: sent?.id });
    },
  ],
  [
    'the result of its task',
    async (on) => reply(on, { in_reply_to: await send(on, { alias: 'alice', from_session: 'bob' }) }),
  ],
  [
    'a message about a task that it has settled',
    async (on) => {
      const task_id = await running(on);
      await reply(on, { alias: 'alice', from_session: 'bob', in_reply_to: task_id });
      return say(on, { in_reply_to: task_id });
    },
  ],
];

/** The types and priorities in the inbox of bob who is working, with ten waiting tasks before what `act` sends. */
async function inboxAfter(act: Case[1], limit: number) {
  const fixture = await openFixture();
  await report(fixture, 'bob', { status: 'working' });
  for (let index = 0; index < WAITING; index++) await send(fixture, { task: `task ${index}` });
  await act(fixture);
  const { messages } = await fixture.ask(getInbox, { alias: 'bob', limit });
  return messages.map(({ type, priority }) => `${type} ${priority}`);
}

describe('before the tasks that wait comes', () => {
  test.each(AWAITED)('%s', async (_, act) => {
    const [first, ...rest] = await inboxAfter(act, WAITING);
    expect(first).toMatch(/^(message|reply|cancel) high$/);
    expect(rest).toEqual(Array(WAITING - 1).fill('task normal'));
  });
});

describe('on a page of urgent tasks is', () => {
  const pageAfter = async (act: Case[1], limit: number): Promise<string[]> => {
    const fixture = await openFixture();
    await report(fixture, 'bob', { status: 'working' });
    for (let index = 0; index < 2 * WAITING; index++) await send(fixture, { task: `${index}`, priority: 'high' });
    await act(fixture);
    return (await fixture.ask(getInbox, { alias: 'bob', limit })).messages.map(({ type, content }) =>
      type === 'task' ? content : type,
    );
  };

  test.each(AWAITED)('%s, as the last', async (_, act) => {
    const page = await pageAfter(act, WAITING);
    expect(page.slice(0, -1)).toEqual(Array.from({ length: WAITING - 1 }, (_, index) => `${index}`));
    expect(page.at(-1)).toMatch(/^(message|reply|cancel)$/);
  });

  test('what it waits for alone, if the page has one place, and one task otherwise', async () => {
    const many = async (on: Fixture) => {
      const in_reply_to = await running(on);
      for (let count = 0; count < WAITING; count++) await say(on, { in_reply_to, message: `${count}` });
    };
    expect(await pageAfter(many, 1)).toEqual(['message']);
    expect(await pageAfter(many, 3)).toEqual(['0', 'message', 'message']);
  });

  test('nothing else', async () => {
    expect(await pageAfter((on) => say(on), 2)).toEqual(['0', '1']);
  });
});

describe('in order of arrival comes', () => {
  test.each(ORDINARY)('%s', async (_, act) => {
    const all = await inboxAfter(act, 100);
    expect(all.slice(0, WAITING)).toEqual(Array(WAITING).fill('task normal'));
    expect(all.at(-1)).toMatch(/^(message|reply|cancel) normal$/);
  });
});
