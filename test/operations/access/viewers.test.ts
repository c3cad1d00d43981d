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
import { writeHeartbeats } from '../../../server/sweeps/sweeps.ts';
import { as, dump, openScene, report, type Scene, send, withRole, wordOf } from '../../support/scene.ts';
import { eventIdOf } from '../../support/store/event-ids.ts';
import { foundNetwork } from '../../support/test-hub.ts';

type Act = (scene: Scene, task_id: string, rest?: object) => Promise<unknown>;

const WRITES: [string, Act][] = [
  ['report_status', (scene, _, rest) => report(scene, 'bob', rest)],
  [
    'report_completion',
    (scene, _, rest) => scene.ask(reportCompletion, { alias: 'bob', task: 'x', result: 'y', ...rest }),
  ],
  ['ack_inbox', (scene, id, rest) => scene.ask(ackInbox, { alias: 'bob', message_id: id, ...rest })],
  ['send_task', (scene, _, rest) => scene.ask(sendTask, { alias: 'bob', task: 'x', ...rest })],
  ['send_message', (scene, _, rest) => scene.ask(sendMessage, { alias: 'bob', message: 'x', ...rest })],
  ['send_reply', (scene, id, rest) => scene.ask(sendReply, { alias: 'bob', text: 'x', in_reply_to: id, ...rest })],
  ['send_ack', (scene, id, rest) => scene.ask(sendAck, { task_id: id, ...rest })],
  ['cancel_task', (scene, id, rest) => scene.ask(cancelTask, { task_id: id, ...rest })],
  ['retry_task', (scene, id, rest) => scene.ask(retryTask, { task_id: id, ...rest })],
  ['reassign_task', (scene, id, rest) => scene.ask(reassignTask, { task_id: id, new_alias: 'carol', ...rest })],
  ['broadcast', (scene, _, rest) => scene.ask(broadcast, { content: 'x', ...rest })],
];

const READS: [string, Act][] = [
  ['get_inbox', (scene, _, rest) => scene.ask(getInbox, { alias: 'bob', ...rest })],
  ['get_task', (scene, id, rest) => scene.ask(getTask, { task_id: id, ...rest })],
  ['list_tasks', (scene, _, rest) => scene.ask(listTasks, { ...rest })],
  ['get_all_status', (scene, _, rest) => scene.ask(getAllStatus, { ...rest })],
  ['the list of sessions', (scene, _, rest) => scene.ask(listSessions, { ...rest })],
  ['its stream', async (scene, _, rest) => follow(scene, { alias: 'bob', ...rest })],
  ['the stream of the network', async (scene, _, rest) => follow(scene, { ...rest })],
];

async function follow(scene: Scene, topic: object): Promise<void> {
  const following = await scene.ask(followEvents, { ...topic, last_event_id: await eventIdOf(scene, 0) });
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

async function openWithTask(): Promise<Scene & { task_id: string }> {
  const scene = await openScene();
  await report(scene, 'bob');
  const task_id = await send(scene);
  scene.hub.clock.advance(60_000);
  return { ...scene, task_id };
}

describe('a viewer', () => {
  test.each(WRITES)('cannot %s, and nothing changes', async (_, act) => {
    const scene = await openWithTask();
    const before = await dump(scene);
    expect(await wordOf(act(withRole(scene, 'viewer'), scene.task_id))).toBe('permission_denied');
    expect(await dump(scene)).toEqual(before);
  });

  test.each(READS)('can read %s, and nothing changes', async (_, act) => {
    const scene = await openWithTask();
    const before = await dump(scene);
    expect(await wordOf(act(withRole(scene, 'viewer'), scene.task_id))).toBe('ok');
    expect(await writeHeartbeats(scene.hub)).toEqual({ heartbeats: 0 });
    expect(await flushWriteBehind(scene.hub)).toEqual({ notified: 0, used: 0 });
    expect(await dump(scene)).toEqual(before);
  });

  test('reads the same inbox as the agent', async () => {
    const scene = await openWithTask();
    const seen = await withRole(scene, 'viewer').ask(getInbox, { alias: 'bob' });
    expect(await scene.ask(getInbox, { alias: 'bob' })).toEqual(seen);
  });
});

describe.each(['owner', 'member'] as const)('the %s', (role) => {
  test.each(WRITES.filter(([name]) => name !== 'retry_task'))('may %s', async (_, act) => {
    const scene = await openWithTask();
    expect(await wordOf(act(withRole(scene, role), scene.task_id))).toBe('ok');
  });
});

test('a read by a member does change data, which proves that the tests above can fail', async () => {
  const scene = await openWithTask();
  const before = await dump(scene);
  await scene.ask(getInbox, { alias: 'bob' });
  const after = await dump(scene);
  expect(after['messages']).not.toEqual(before['messages']);
  expect(after['sessions']).not.toEqual(before['sessions']);
});

describe('a network_id that does not match the token', () => {
  test.each([...WRITES, ...READS])('%s: permission_denied, whether or not the network exists', async (_, act) => {
    const scene = await openWithTask();
    const { network_id } = await foundNetwork(scene.hub);
    const before = await dump(scene);
    for (const foreign of [network_id, 'net_none']) {
      expect(await wordOf(act(scene, scene.task_id, { network_id: foreign }))).toBe('permission_denied');
    }
    expect(await dump(scene)).toEqual(before);
  });

  test.each([...WRITES.filter(([name]) => name !== 'retry_task'), ...READS])('%s: its own is fine', async (_, act) => {
    const scene = await openWithTask();
    expect(await wordOf(act(scene, scene.task_id, { network_id: scene.caller.network_id }))).toBe('ok');
  });
});

test('objects in a foreign network are neither visible nor reachable', async () => {
  const scene = await openWithTask();
  const stranger = as(scene, await foundNetwork(scene.hub));
  expect((await stranger.ask(listTasks, {})).tasks).toEqual([]);
  expect((await stranger.ask(getAllStatus, {})).sessions).toEqual([]);
  expect((await stranger.ask(getInbox, { alias: 'bob' })).messages).toEqual([]);
  expect(await wordOf(stranger.ask(ackInbox, { alias: 'bob', message_id: scene.task_id }))).toBe(
    'message not found or not yours',
  );
});
