// A second acknowledgement of a task: it changes nothing, and warns if the task runs.
import { expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { openFixture, send } from '../../support/fixture.ts';
import { NOON } from '../../support/manual-clock.ts';

test('a second acknowledgement of a running task says when the first was, and that of a settled one does not', async () => {
  const fixture = await openFixture();
  const task_id = await send(fixture);
  const ack = () => fixture.ask(ackInbox, { alias: 'bob', message_id: task_id });
  expect(await ack()).toEqual({ ok: true });
  fixture.hub.clock.set(NOON + 60_000);
  expect(await ack()).toEqual({
    ok: true,
    warning: expect.stringMatching(
      /^acknowledged before, at 20\S+ \S+Z?; if another session of bob runs this task, leave it to that one and use a different alias$/,
    ),
  });
  await fixture.ask(sendReply, { alias: 'alice', text: 'done', in_reply_to: task_id, from_session: 'bob' });
  expect(await ack()).toEqual({ ok: true });
});

test('a second acknowledgement of a message does not warn', async () => {
  const fixture = await openFixture();
  const { message_id } = await fixture.ask(sendMessage, { alias: 'bob', message: 'lunch?', from_session: 'carol' });
  for (let time = 0; time < 2; time++)
    expect(await fixture.ask(ackInbox, { alias: 'bob', message_id })).toEqual({ ok: true });
});
