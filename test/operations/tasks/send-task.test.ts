// What a send stores, all of it or nothing.
import { expect, test } from 'vitest';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { perform } from '../../../server/operations/operation.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { foundNetwork, openTestHub } from '../../support/test-hub.ts';

test('a task sent to an unknown alias waits in its inbox, and the sender is warned', async () => {
  const hub = await openTestHub();
  const caller = await foundNetwork(hub);
  const sent = await perform(sendTask, hub, caller, { alias: 'bob', task: 'build it' });
  expect(sent).toMatchObject({
    ok: true,
    session_status: 'unknown',
    warning: expect.stringContaining('no agent has ever reported as bob'),
  });
  expect(sent.message_id).toBe(sent.task_id);
  expect(await perform(getInbox, hub, caller, { alias: 'bob' })).toMatchObject({
    messages: [{ id: sent.message_id, type: 'task', content: 'build it', from_session: 'hub', priority: 'normal' }],
  });
});
