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
import { SCHEMA_VERSION } from '../../server/store/file/migrations.ts';
import { removeNetworks } from '../../server/sweeps/sweeps.ts';
import { type Fixture, listenTo, openFixture, outcomeOf, report, rowsOf, send } from '../support/fixture.ts';
import { foundNetwork } from '../support/test-hub.ts';

const ALIASES = ['ann', 'bob', 'cat', 'dan'];
const alias = fc.constantFrom(...ALIASES);
const nth = fc.nat(30);

/** A step names tasks and messages by index. Its number makes texts unique. */
type Step = (fixture: Fixture, step: number) => Promise<unknown>;

const tasks = (fixture: Fixture) => rowsOf(fixture, 'SELECT task_id AS id FROM tasks ORDER BY task_seq');
const messages = (fixture: Fixture, owner: string) =>
  rowsOf(
    fixture,
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
      (fixture, at) =>
        send(fixture, { alias: to, from_session: 'ann', task: `task ${at}`, ttl_seconds: 60 }),
  ),
  alias.map(
    (to): Step =>
      (fixture, at) =>
        fixture.ask(sendMessage, { alias: to, message: `message ${at}` }),
  ),
  alias.map(
    (from): Step =>
      (fixture, at) =>
        fixture.ask(broadcast, { content: `all ${at}`, from_session: from }),
  ),
  fc.record({ to: alias, nth }).map(
    ({ to, nth }): Step =>
      async (fixture, at) =>
        fixture.ask(sendReply, {
          alias: to,
          text: `reply ${at}`,
          in_reply_to: await pick(tasks(fixture), nth),
          from_session: 'bob',
        }),
  ),
  fc.record({ of: alias, nth }).map(
    ({ of, nth }): Step =>
      async (fixture) =>
        fixture.ask(ackInbox, { alias: of, message_id: await pick(messages(fixture, of), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (fixture) =>
        fixture.ask(sendAck, { task_id: await pick(tasks(fixture), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (fixture) =>
        fixture.ask(cancelTask, { task_id: await pick(tasks(fixture), nth) }),
  ),
  nth.map(
    (nth): Step =>
      async (fixture) =>
        fixture.ask(retryTask, { task_id: await pick(tasks(fixture), nth) }),
  ),
  fc.record({ to: alias, nth }).map(
    ({ to, nth }): Step =>
      async (fixture) =>
        fixture.ask(reassignTask, { task_id: await pick(tasks(fixture), nth), new_alias: to }),
  ),
  fc.record({ by: alias, nth }).map(
    ({ by, nth }): Step =>
      async (fixture) =>
        fixture.ask(reportCompletion, { alias: by, task: await pick(tasks(fixture), nth), result: 'done' }),
  ),
  fc.record({ by: alias, resume: alias }).map(
    ({ by, resume }): Step =>
      (fixture) =>
        report(fixture, by, { resume_id: resume }),
  ), // renames, takes over, merges
  fc.constantFrom(1, 61_000).map(
    (milliseconds): Step =>
      async (fixture) => {
        fixture.hub.clock.advance(milliseconds);
        await catchUp(fixture.hub);
      },
  ),
);

test('after any sequence of operations each counter is correct', async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const fixture = await openFixture();
      for (const [at, step] of steps.entries()) {
        outcomes.add(await outcomeOf(step(fixture, at)));
        expect([await counters(fixture), await wrongIn(fixture)]).toEqual([await counts(fixture), []]);
      }
    }),
    { numRuns: 40, seed: 20260115 },
  );
  expect([...outcomes]).toEqual(expect.arrayContaining(['ok', 'task is terminal'])); // the sequences cover the expected outcomes
});

test('counters stay correct when operations share commits and some fail after writing', async () => {
  const failing: Step = (fixture, at) =>
    fixture.hub.store.write(async (tx) => {
      const { network_id } = fixture.caller;
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
        const fixture = await openFixture();
        for (const [turn, steps] of groups.entries()) {
          for (const word of await Promise.all(steps.map((step, at) => outcomeOf(step(fixture, turn * 100 + at)))))
            outcomes.add(word);
          expect([await counters(fixture), await wrongIn(fixture)]).toEqual([await counts(fixture), []]);
        }
      },
    ),
    { numRuns: 40, seed: 20260116 },
  );
  expect([...outcomes]).toEqual(expect.arrayContaining(['ok', 'internal_error']));
});

test('a send returns the number of pending messages, also when it shares a commit', async () => {
  const fixture = await openFixture();
  const received = listenTo(fixture);
  await send(fixture, { alias: 'bob', task: 'first' });
  await Promise.all([
    send(fixture, { alias: 'bob', task: 'second' }),
    send(fixture, { alias: 'ann', task: 'other' }),
    fixture.ask(cancelTask, { task_id: String((await rowsOf(fixture, 'SELECT task_id FROM tasks'))[0]?.['task_id']) }),
    send(fixture, { alias: 'bob', task: 'third' }),
  ]);
  const counted = received
    .filter(({ name }) => name === 'new_task')
    .map(({ alias: to, data }) => [to, JSON.parse(data).inbox_count]);
  expect(counted).toEqual([
    ['bob', 1],
    ['bob', 2],
    ['ann', 1],
    ['bob', 3],
  ]);
  expect(await counters(fixture)).toEqual([
    { alias: 'ann', pending: 1 },
    { alias: 'bob', pending: 3 },
  ]); // the cancelled task was removed, and its notice added
});

test('a network removed within a commit removes only its own counts', async () => {
  const fixture = await openFixture();
  const removed = await foundNetwork(fixture.hub);
  const arrive = ({ network_id }: { network_id: string }, id: string) =>
    fixture.hub.store.write((tx) =>
      deliver(tx, { id, network_id, alias: 'bob', type: 'message', content: id, from_session: 'ann' }),
    );
  await Promise.all([
    arrive(fixture.caller, 'first'),
    arrive(removed, 'in vain'),
    fixture.hub.store.write((tx) => markRemoved(tx, removed.network_id)),
    arrive(fixture.caller, 'last'),
  ]);
  await removeNetworks(fixture.hub);
  expect(await rowsOf(fixture, 'SELECT network_id, pending FROM inboxes JOIN networks USING (network_seq)')).toEqual([
    { network_id: fixture.caller.network_id, pending: 2 },
  ]);
  expect(fixture.hub.fatal).toEqual([]);
});

const wrongIn = (fixture: Fixture) =>
  fixture.hub.store.read((reader) => findWrongCounters((sql) => reader.all(sql), SCHEMA_VERSION));
const counters = (fixture: Fixture) =>
  rowsOf(fixture, 'SELECT alias, pending FROM inboxes WHERE pending <> 0 ORDER BY alias');
const counts = (fixture: Fixture) =>
  rowsOf(
    fixture,
    'SELECT alias, count(*) AS pending FROM messages WHERE acked_at IS NULL AND withdrawn_at IS NULL GROUP BY alias ORDER BY alias',
  );
