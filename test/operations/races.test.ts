// Concurrent operations: exactly one wins where only one can, limits are exact, and revoked access ends its
// connections, however close the two are.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Draws } from '../../scripts/support/random.ts';
import { login } from '../../server/operations/accounts/login.ts';
import { register } from '../../server/operations/accounts/register.ts';
import { ackInbox } from '../../server/operations/agents/ack-inbox.ts';
import { getInbox } from '../../server/operations/agents/get-inbox.ts';
import { broadcast } from '../../server/operations/messages/broadcast.ts';
import { sendMessage } from '../../server/operations/messages/send-message.ts';
import { sendReply } from '../../server/operations/messages/send-reply.ts';
import { createInvite } from '../../server/operations/networks/create-invite.ts';
import { joinNetwork } from '../../server/operations/networks/join-network.ts';
import { listMembers } from '../../server/operations/networks/list-members.ts';
import { updateNetwork } from '../../server/operations/networks/update-network.ts';
import { perform } from '../../server/operations/operation.ts';
import { cancelTask } from '../../server/operations/tasks/cancel-task.ts';
import { getTask } from '../../server/operations/tasks/get-task.ts';
import { listTasks } from '../../server/operations/tasks/list-tasks.ts';
import { reassignTask } from '../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../server/operations/tasks/send-task.ts';
import { ask, signUp } from '../api/tenancy/users.ts';
import { type Fixture, openFixture, outcomeOf, rowsOf, send } from '../support/fixture.ts';
import { seededDraws } from '../support/store/seeded.ts';
import { openTestHub } from '../support/test-hub.ts';

const ROUNDS = 40;
const RACERS = 50;
const ADDRESS = { ip: '127.0.0.1' };

/** The results of concurrent calls, counted by outcome. Some calls start together, some a turn or three later. */
async function race(
  draws: Draws,
  count: number,
  run: (racer: number) => Promise<unknown>,
): Promise<Record<string, number>> {
  const words = await Promise.all(
    Array.from({ length: count }, async (_, racer) => {
      for (let turns = Math.floor(draws.below(4)); turns > 0; turns--) await nextTurn();
      return outcomeOf(run(racer));
    }),
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(words, (word) => word)).map(([word, all]) => [word, all?.length ?? 0]),
  );
}

describe('of fifty concurrent operations on one task, one wins', () => {
  type Contest = {
    title: string;
    isEnded?: true;
    refusal: string;
    act(fixture: Fixture, task_id: string, racer: number): Promise<unknown>;
  };
  const contests: readonly Contest[] = [
    {
      title: 'retries',
      isEnded: true,
      refusal: 'task status is delivered, not retryable',
      act: ({ ask: asks }, task_id) => asks(retryTask, { task_id }),
    },
    { title: 'cancels', refusal: 'task is terminal', act: ({ ask: asks }, task_id) => asks(cancelTask, { task_id }) },
    { title: 'replies', refusal: 'task is terminal', act: reply },
    {
      title: 'cancels and replies',
      refusal: 'task is terminal',
      act: (fixture, task_id, racer) =>
        racer % 2 ? fixture.ask(cancelTask, { task_id }) : reply(fixture, task_id, racer),
    },
    // Afterwards a reply of the former assignee is too late. Before it, there is nothing to reassign.
    {
      title: 'one reassignment and replies',
      refusal: 'task is terminal',
      act: (fixture, task_id, racer) =>
        racer === 0 ? fixture.ask(reassignTask, { task_id, new_alias: 'carol' }) : reply(fixture, task_id, racer),
    },
  ];

  function reply({ ask: asks }: Fixture, in_reply_to: string, racer: number): Promise<unknown> {
    return asks(sendReply, { alias: 'alice', text: `answer ${racer}`, in_reply_to, from_session: 'bob' });
  }

  test.each(contests)('$title', async ({ isEnded, refusal, act }) => {
    const fixture = await openFixture();
    const draws = seededDraws();
    for (let round = 0; round < ROUNDS; round++) {
      const task_id = await send(fixture, { task: `round ${round}` });
      if (isEnded) await fixture.ask(cancelTask, { task_id });
      expect(await race(draws, RACERS, (racer) => act(fixture, task_id, racer))).toEqual({
        ok: 1,
        [refusal]: RACERS - 1,
      });
      const moves = await rowsOf(
        fixture,
        'SELECT to_status FROM task_events JOIN tasks USING (task_seq) WHERE task_id = ? ORDER BY event_seq',
        task_id,
      );
      expect(moves, 'its sending, perhaps its end, and one move').toHaveLength(isEnded ? 3 : 2);
      await expectOneAttempt(fixture, task_id);
    }
  });

  test('concurrent reassignments all succeed, one after the other, and leave the task in one inbox', async () => {
    const fixture = await openFixture();
    const task_id = await send(fixture);
    expect(
      await race(seededDraws(), RACERS, (racer) =>
        fixture.ask(reassignTask, { task_id, new_alias: `worker ${racer}` }),
      ),
    ).toEqual({ ok: RACERS });
    expect(await fixture.ask(getTask, { task_id })).toMatchObject({
      task: { status: 'delivered', attempt: RACERS + 1 },
    });
    await expectOneAttempt(fixture, task_id);
  });

  /** In the assignee's inbox, and in none after it has ended. */
  async function expectOneAttempt(fixture: Fixture, task_id: string): Promise<void> {
    const { task } = await fixture.ask(getTask, { task_id });
    const pending = await rowsOf(
      fixture,
      "SELECT m.alias, m.attempt FROM messages m JOIN tasks t USING (task_seq) WHERE t.task_id = ? AND m.type = 'task' AND m.acked_at IS NULL AND m.withdrawn_at IS NULL",
      task_id,
    );
    expect(pending).toEqual(task.status === 'delivered' ? [{ alias: task.to_name, attempt: task.attempt }] : []);
  }
});

test('a task acknowledged twenty times concurrently in both ways starts once', async () => {
  const fixture = await openFixture();
  const draws = seededDraws();
  for (let round = 0; round < ROUNDS; round++) {
    const task_id = await send(fixture, { task: `round ${round}` });
    const acknowledge = (racer: number) =>
      racer % 2
        ? fixture.ask(ackInbox, { alias: 'bob', message_id: task_id })
        : fixture.ask(sendAck, { task_id, from_session: 'bob' });
    expect(await race(draws, 20, acknowledge)).toEqual({ ok: 20 });
    expect(
      await rowsOf(
        fixture,
        "SELECT to_status FROM task_events JOIN tasks USING (task_seq) WHERE task_id = ? AND to_status = 'running'",
        task_id,
      ),
    ).toHaveLength(1);
    expect(await fixture.ask(getInbox, { alias: 'bob' })).toEqual({ ok: true, messages: [] });
  }
});

test('an idempotency key used twenty times concurrently sends one task and returns it every time', async () => {
  const hub = await openTestHub();
  const { ntok } = await signUp(hub, 'ada');
  for (let round = 0; round < ROUNDS; round++) {
    const input = { alias: 'bob', task: `round ${round}`, idempotency_key: `key ${round}` };
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(hub, ntok, sendTask, input)));
    expect(new Set(responses.map((response) => JSON.stringify(response)))).toHaveLength(1);
    expect(await ask(hub, ntok, listTasks, {})).toMatchObject({ stats: [{ status: 'delivered', count: round + 1 }] });
  }
});

test('the loop guard counts concurrent sends by target and content: the twentieth is rejected', async () => {
  const fixture = await openFixture();
  const draws = seededDraws();
  const refused = { ok: 19, duplicate_send: 11 };
  expect(await race(draws, 30, () => fixture.ask(sendTask, { alias: 'bob', task: 'again' }))).toEqual(refused);
  expect(await race(draws, 30, () => fixture.ask(sendMessage, { alias: 'carol', message: 'again' }))).toEqual(refused);
  expect(await race(draws, 30, () => fixture.ask(broadcast, { content: 'again' }))).toEqual(refused);
  expect(await race(draws, 30, (racer) => fixture.ask(sendTask, { alias: 'bob', task: `task ${racer}` }))).toEqual({
    ok: 30,
  });
});

test('concurrent failed logins are counted: the eleventh must wait', async () => {
  const hub = await openTestHub();
  await signUp(hub, 'ada');
  const responses = await race(seededDraws(), RACERS, () =>
    perform(login, hub, ADDRESS, { username: 'ada', password: 'a wrong one' }),
  );
  expect(responses).toEqual({ invalid_credentials: 10, rate_limited: RACERS - 10 });
});

test('of fifty concurrent first registrations, one is admin', async () => {
  for (let round = 0; round < 5; round++) {
    const hub = await openTestHub();
    const roles = await Promise.all(
      Array.from({ length: RACERS }, async (_, racer) => {
        const { user } = await perform(register, hub, ADDRESS, { username: `user_${racer}`, password: 'open sesame' });
        return user.role;
      }),
    );
    expect(roles.filter((role) => role === 'admin')).toHaveLength(1);
  }
});

test('of fifty concurrent registrations of one name, in any case, one succeeds', async () => {
  const hub = await openTestHub();
  const responses = await race(seededDraws(), RACERS, (racer) =>
    perform(register, hub, ADDRESS, { username: racer % 2 ? 'ada' : 'ADA', password: 'open sesame' }),
  );
  expect(responses).toEqual({ ok: 1, username_taken: RACERS - 1 });
});

test('two hundred concurrent joins with an invite for ten admit ten', async () => {
  const hub = await openTestHub();
  const owner = await signUp(hub, 'owner');
  const { network_id } = owner;
  const users = await Promise.all(Array.from({ length: 200 }, (_, index) => signUp(hub, `guest_${index}`)));
  const { invite_code } = await ask(hub, owner.utok, createInvite, { network_id, max_uses: 10 });
  const responses = await race(seededDraws(), 200, (index) =>
    ask(hub, users[index]?.utok ?? '', joinNetwork, { invite_code }),
  );
  expect(responses).toEqual({ ok: 10, invite_used_up: 190 });
  expect(await ask(hub, owner.utok, listMembers, { network_id, limit: 500 })).toMatchObject({ count: 11 });
});

test('a network with a limit of five admits five of two hundred concurrent joins', async () => {
  const hub = await openTestHub();
  const owner = await signUp(hub, 'owner');
  const { network_id } = owner;
  const users = await Promise.all(Array.from({ length: 200 }, (_, index) => signUp(hub, `guest_${index}`)));
  await ask(hub, owner.utok, updateNetwork, { network_id, max_members: 5 });
  const { invite_code } = await ask(hub, owner.utok, createInvite, { network_id, max_uses: 1000 });
  const responses = await race(seededDraws(), 200, (index) =>
    ask(hub, users[index]?.utok ?? '', joinNetwork, { invite_code }),
  );
  expect(responses).toEqual({ ok: 4, network_full: 196 });
});
