// A viewer reads everything in the network, writes nothing and changes no data. A caller who names a foreign network is
// rejected.
import { describe, expect, test } from 'vitest';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../../server/operations/agents/get-inbox.ts';
import { reportCompletion } from '../../../server/operations/agents/report-completion.ts';
import { broadcast } from '../../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { followEvents } from '../../../server/operations/records/follow-events.ts';
import { getAllStatus, listSessions } from '../../../server/operations/sessions/get-all-status.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { writeHeartbeats } from '../../../server/sweeps/write-heartbeats.ts';
import { as, dump, type Fixture, openFixture, outcomeOf, report, send, withRole } from '../../support/fixture.ts';
import { eventIdOf } from '../../support/store/event-ids.ts';
import { foundNetwork } from '../../support/test-hub.ts';

type Act = (fixture: Fixture, task_id: string, rest?: object) => Promise<unknown>;

const WRITES: [string, Act][] = [
  ['report_status', (fixture, _, rest) => report(fixture, 'bob', rest)],
  [
    'report_completion',
    (fixture, _, rest) => fixture.ask(reportCompletion, { alias: 'bob', task: 'x', result: 'y', ...rest }),
  ],
  ['ack_inbox', (fixture, id, rest) => fixture.ask(ackInbox, { alias: 'bob', message_id: id, ...rest })],
  ['send_task', (fixture, _, rest) => fixture.ask(sendTask, { alias: 'bob', task: 'x', ...rest })],
  ['send_message', (fixture, _, rest) => fixture.ask(sendMessage, { alias: 'bob', message: 'x', ...rest })],
  ['send_reply', (fixture, id, rest) => fixture.ask(sendReply, { alias: 'bob', text: 'x', in_reply_to: id, ...rest })],
  ['send_ack', (fixture, id, rest) => fixture.ask(sendAck, { task_id: id, ...rest })],
  ['cancel_task', (fixture, id, rest) => fixture.ask(cancelTask, { task_id: id, ...rest })],
  ['retry_task', (fixture, id, rest) => fixture.ask(retryTask, { task_id: id, ...rest })],
  ['reassign_task', (fixture, id, rest) => fixture.ask(reassignTask, { task_id: id, new_alias: 'carol', ...rest })],
  ['broadcast', (fixture, _, rest) => fixture.ask(broadcast, { content: 'x', ...rest })],
];

const READS: [string, Act][] = [
  ['get_inbox', (fixture, _, rest) => fixture.ask(getInbox, { alias: 'bob', ...rest })],
  ['get_task', (fixture, id, rest) => fixture.ask(getTask, { task_id: id, ...rest })],
  ['list_tasks', (fixture, _, rest) => fixture.ask(listTasks, { ...rest })],
  ['get_all_status', (fixture, _, rest) => fixture.ask(getAllStatus, { ...rest })],
  ['the list of sessions', (fixture, _, rest) => fixture.ask(listSessions, { ...rest })],
  ['its stream', async (fixture, _, rest) => follow(fixture, { alias: 'bob', ...rest })],
  ['the stream of the network', async (fixture, _, rest) => follow(fixture, { ...rest })],
];

async function follow(fixture: Fixture, topic: object): Promise<void> {
  const following = await fixture.ask(followEvents, { ...topic, last_event_id: await eventIdOf(fixture, 0) });
  await following.follow({
    send: () => true,
    sentAll: () => {},
    drained: async () => {},
    missed: () => {},
    caughtUp: () => {},
    broken: () => {},
  });
  following.end();
}

async function openWithTask(): Promise<Fixture & { task_id: string }> {
  const fixture = await openFixture();
  await report(fixture, 'bob');
  const task_id = await send(fixture);
  fixture.hub.clock.advance(60_000);
  return { ...fixture, task_id };
}

describe('a viewer', () => {
  test.each(WRITES)('cannot %s, and nothing changes', async (_, act) => {
    const fixture = await openWithTask();
    const before = await dump(fixture);
    expect(await outcomeOf(act(withRole(fixture, 'viewer'), fixture.task_id))).toBe('permission_denied');
    expect(await dump(fixture)).toEqual(before);
  });

  test.each(READS)('can read %s, and nothing changes', async (_, act) => {
    const fixture = await openWithTask();
    const before = await dump(fixture);
    expect(await outcomeOf(act(withRole(fixture, 'viewer'), fixture.task_id))).toBe('ok');
    expect(await writeHeartbeats(fixture.hub)).toEqual({ heartbeats: 0 });
    expect(await flushWriteBehind(fixture.hub)).toEqual({ notified: 0, used: 0 });
    expect(await dump(fixture)).toEqual(before);
  });

  test('reads the same inbox as the agent', async () => {
    const fixture = await openWithTask();
    const seen = await withRole(fixture, 'viewer').ask(getInbox, { alias: 'bob' });
    expect(await fixture.ask(getInbox, { alias: 'bob' })).toEqual(seen);
  });
});

describe.each(['owner', 'member'] as const)('the %s', (role) => {
  test.each(WRITES.filter(([name]) => name !== 'retry_task'))('may %s', async (_, act) => {
    const fixture = await openWithTask();
    expect(await outcomeOf(act(withRole(fixture, role), fixture.task_id))).toBe('ok');
  });
});

test('a read by a member does change data, which proves that the tests above can fail', async () => {
  const fixture = await openWithTask();
  const before = await dump(fixture);
  await fixture.ask(getInbox, { alias: 'bob' });
  const after = await dump(fixture);
  expect(after['messages']).not.toEqual(before['messages']);
  expect(after['sessions']).not.toEqual(before['sessions']);
});

describe('a network_id that does not match the token', () => {
  test.each([...WRITES, ...READS])('%s: permission_denied, whether or not the network exists', async (_, act) => {
    const fixture = await openWithTask();
    const { network_id } = await foundNetwork(fixture.hub);
    const before = await dump(fixture);
    for (const foreign of [network_id, 'net_none']) {
      expect(await outcomeOf(act(fixture, fixture.task_id, { network_id: foreign }))).toBe('permission_denied');
    }
    expect(await dump(fixture)).toEqual(before);
  });

  test.each([...WRITES.filter(([name]) => name !== 'retry_task'), ...READS])(
    '%s: its own network is accepted',
    async (_, act) => {
      const fixture = await openWithTask();
      expect(await outcomeOf(act(fixture, fixture.task_id, { network_id: fixture.caller.network_id }))).toBe('ok');
    },
  );
});

test('objects in a foreign network are neither visible nor reachable', async () => {
  const fixture = await openWithTask();
  const outsider = as(fixture, await foundNetwork(fixture.hub));
  expect((await outsider.ask(listTasks, {})).tasks).toEqual([]);
  expect((await outsider.ask(getAllStatus, {})).sessions).toEqual([]);
  expect((await outsider.ask(getInbox, { alias: 'bob' })).messages).toEqual([]);
  expect(await outcomeOf(outsider.ask(ackInbox, { alias: 'bob', message_id: fixture.task_id }))).toBe(
    'message not found or not yours',
  );
});
