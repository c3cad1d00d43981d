// Every counter always equals what it counts, and that of an inbox its pending messages, through all operations on
// messages, tasks and sessions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HubError } from '../../server/domain/errors.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { reportCompletion } from '../../server/operations/agents/report-completion.ts';
import { catchUp } from '../../server/operations/expiry.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { deliver } from '../../server/operations/messages/deliver.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { markRemoved } from '../../server/store/bulk/network-removal.ts';
import { findWrongCounters } from '../../server/store/counts/counters.ts';
import { removeNetworks } from '../../server/sweeps/remove-networks.ts';
import { listenTo, openScene, report, rowsOf, type Scene, send, wordOf } from '../support/scene.ts';
import { foundNetwork } from '../support/test-hub.ts';

const ALIASES = ['ann', 'bob', 'cat', 'dan'];
const alias = fc.constantFrom(...ALIASES);
const nth = fc.nat(30);

/** A step names tasks and messages by index. Its number makes texts unique. */
type Step = (scene: Scene, step: number) => Promise<unknown>;

const tasks = (scene: Scene) => rowsOf(scene, 'SELECT task_id AS id FROM tasks ORDER BY task_seq');
const messages = (scene: Scene, owner: string) =>
  rowsOf(
    scene,
    'SELECT coalesce(id, task_id) AS id FROM messages LEFT JOIN tasks USING (task_seq) WHERE alias = ? ORDER BY message_seq',
    owner,
  );

async function pick(found: Promise<Record<string, unknown>[]>, index: number): Promise<string> {
  const rows = await found;
  return String(rows[index % Math.max(1, rows.length)]?.['id'] ?? 'none');
}

const step: fc.Arbitrary<Step> = fc.oneof(
  alias.map(
    (to): Step =>
      (scene, at) =>
        send(scene, { alias: to, from_session: 'ann', task: `task ${at}`, ttl_seconds: 60 }),
  ),
  alias.map(
    (to): Step =>
      (scene, at) =>
        scene.ask(sendMessage, { alias: to, message: `message ${at}` }),
  ),
  alias.map(
    (from): Step =>
      (scene, at) =>
        scene.ask(broadcast, { content: `all ${at}`, from_session: from }),
  ),
  fc.record({ to: alias, nth }).map(
    ({ to, nth }): Step =>
      async (scene, at) =>
        scene.ask(sendReply, {
          alias: to,
          text: `reply ${at}`,
          in_reply_to: await pick(tasks(scene), nth),
          from_session: 'bob',
        }),
  ),
  fc.record({ of: alias, nth }).map(
    ({ of, nth }): Step =>
      async (scene) =>
        scene.ask(ackInbox, { alias: of, message_id: await pick(messages(scene, of), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (scene) =>
        scene.ask(sendAck, { task_id: await pick(tasks(scene), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (scene) =>
        scene.ask(cancelTask, { task_id: await pick(tasks(scene), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (scene) =>
        scene.ask(retryTask, { task_id: await pick(tasks(scene), nth) }),
  ),
  fc.record({ to: alias, nth }).map(
    ({ to, nth }): Step =>
      async (scene) =>
        scene.ask(reassignTask, { task_id: await pick(tasks(scene), nth), new_alias: to }),
  ),
  fc.record({ by: alias, nth }).map(
    ({ by, nth }): Step =>
      async (scene) =>
        scene.ask(reportCompletion, { alias: by, task: await pick(tasks(scene), nth), result: 'done' }),
  ),
  fc.record({ by: alias, resume: alias }).map(
    ({ by, resume }): Step =>
      (scene) =>
        report(scene, by, { resume_id: resume }),
  ), // renames, takes over, merges
  fc.constantFrom(1, 61_000).map(
    (milliseconds): Step =>
      async (scene) => {
        scene.hub.clock.advance(milliseconds);
        await catchUp(scene.hub);
      },
  ),
);

test('after any sequence of operations each counter is correct', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const scene = await openScene();
      for (const [at, play] of steps.entries()) {
        outcomes.add(await wordOf(play(scene, at)));
        expect([await counters(scene), await wrongIn(scene)]).toEqual([await counts(scene), []]);
      }
    }),
    { numRuns: 40, seed: 20260115 },
  );
  expect([...outcomes]).toEqual(expect.arrayContaining(['ok', 'task is terminal'])); // the sequences cover the expected outcomes
});

test('counters stay correct when operations share commits and some fail after writing', async () => {
  const failing: Step = (scene, at) =>
    scene.hub.store.write(async (tx) => {
      const { network_id } = scene.caller;
      await deliver(tx, {
        id: `broken ${at}`,
        network_id,
        alias: 'bob',
        type: 'message',
        content: 'never sent',
        from_session: 'ann',
      });
      throw new HubError('internal_error', 'broken on purpose');
    });
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.array(fc.oneof({ arbitrary: step, weight: 12 }, { arbitrary: fc.constant(failing), weight: 1 }), {
          minLength: 2,
          maxLength: 12,
        }),
        { minLength: 3, maxLength: 8 },
      ),
      async (groups) => {
        const scene = await openScene();
        for (const [turn, steps] of groups.entries()) {
          for (const word of await Promise.all(steps.map((play, at) => wordOf(play(scene, turn * 100 + at)))))
            outcomes.add(word);
          expect([await counters(scene), await wrongIn(scene)]).toEqual([await counts(scene), []]);
        }
      },
    ),
    { numRuns: 40, seed: 20260116 },
  );
  expect([...outcomes]).toEqual(expect.arrayContaining(['ok', 'internal_error']));
});

test('a send returns the number of pending messages, also when it shares a commit', async () => {
  const scene = await openScene();
  const heard = listenTo(scene);
  await send(scene, { alias: 'bob', task: 'first' });
  await Promise.all([
    send(scene, { alias: 'bob', task: 'second' }),
    send(scene, { alias: 'ann', task: 'other' }),
    scene.ask(cancelTask, { task_id: String((await rowsOf(scene, 'SELECT task_id FROM tasks'))[0]?.['task_id']) }),
    send(scene, { alias: 'bob', task: 'third' }),
  ]);
  const counted = heard
    .filter(({ name }) => name === 'new_task')
    .map(({ alias: to, data }) => [to, JSON.parse(data).inbox_count]);
  expect(counted).toEqual([
    ['bob', 1],
    ['bob', 2],
    ['ann', 1],
    ['bob', 3],
  ]);
  expect(await counters(scene)).toEqual([
    { alias: 'ann', pending: 1 },
    { alias: 'bob', pending: 3 },
  ]); // the cancelled task was removed, and its notice added
});

test('a network removed within a commit takes only its own counts along', async () => {
  const scene = await openScene();
  const doomed = await foundNetwork(scene.hub);
  const come = ({ network_id }: { network_id: string }, id: string) =>
    scene.hub.store.write((tx) =>
      deliver(tx, { id, network_id, alias: 'bob', type: 'message', content: id, from_session: 'ann' }),
    );
  await Promise.all([
    come(scene.caller, 'first'),
    come(doomed, 'in vain'),
    scene.hub.store.write((tx) => markRemoved(tx, doomed.network_id)),
    come(scene.caller, 'last'),
  ]);
  await removeNetworks(scene.hub);
  expect(await rowsOf(scene, 'SELECT network_id, pending FROM inboxes JOIN networks USING (network_seq)')).toEqual([
    { network_id: scene.caller.network_id, pending: 2 },
  ]);
  expect(scene.hub.fatal).toEqual([]);
});

const wrongIn = (scene: Scene) => scene.hub.store.read((reader) => findWrongCounters((sql) => reader.all(sql)));
const counters = (scene: Scene) =>
  rowsOf(scene, 'SELECT alias, pending FROM inboxes WHERE pending <> 0 ORDER BY alias');
const counts = (scene: Scene) =>
  rowsOf(
    scene,
    'SELECT alias, count(*) AS pending FROM messages WHERE acked_at IS NULL AND withdrawn_at IS NULL GROUP BY alias ORDER BY alias',
  );
