// Rejections happen before any write, so that other users' writes in the same commit do not run a second time.
import { describe, expect, test } from 'vitest';
import { register } from '../../../server/operations/accounts/register.ts';
import { ackInbox } from '../../../server/operations/agents/ack-inbox.ts';
import { sendReply } from '../../../server/operations/messages/send-reply.ts';
import { changeMember } from '../../../server/operations/networks/change-member.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { deleteNetwork } from '../../../server/operations/networks/delete-network.ts';
import { joinNetwork } from '../../../server/operations/networks/join-network.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { updateNetwork } from '../../../server/operations/networks/update-network.ts';
import { withdrawInvite } from '../../../server/operations/networks/withdraw-invite.ts';
import { perform } from '../../../server/operations/operation.ts';
import { cancelTask } from '../../../server/operations/tasks/cancel-task.ts';
import { reassignTask } from '../../../server/operations/tasks/reassign-task.ts';
import { retryTask } from '../../../server/operations/tasks/retry-task.ts';
import { sendAck } from '../../../server/operations/tasks/send-ack.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { ask, PASSWORD, signUp, signUpInto, type User } from '../../api/tenancy/users.ts';
import { outcomeOf, report } from '../../support/fixture.ts';
import { NOTE, note, openTestDatabase } from '../../support/store/test-database.ts';
import { openTestHub, type TestHub } from '../../support/test-hub.ts';

const ATTEMPTS = 1_000;

type Fixture = { hub: TestHub; ada: User; bea: User; usedUp: string };

/** Ada owns a network and an exhausted invite. Bea is a member of that network. */
async function openUsers(): Promise<Fixture> {
  const hub = await openTestHub();
  const ada = await signUp(hub, 'ada');
  const bea = await signUpInto(hub, 'bea', 'member', ada);
  const { invite_code: usedUp } = await ask(hub, ada.utok, createInvite, { network_id: ada.network_id });
  await ask(hub, (await signUp(hub, 'cyd')).utok, joinNetwork, { invite_code: usedUp });
  return { hub, ada, bea, usedUp };
}

/** Sends from Ada's agents, which share commits with concurrent operations. */
function sends({ hub, ada }: Fixture, count: number): Promise<unknown> {
  return Promise.all(
    Array.from({ length: count }, (_, index) => ask(hub, ada.ntok, sendTask, { alias: `agent ${index}`, task: 'x' })),
  );
}

test('a thousand uses of an exhausted invite make no group run twice', async () => {
  const fixture = await openUsers();
  const { hub, usedUp } = fixture;
  const dot = await signUp(hub, 'dot');
  const sent = sends(fixture, 300);
  const words = await Promise.all(
    Array.from({ length: ATTEMPTS }, () => outcomeOf(ask(hub, dot.utok, joinNetwork, { invite_code: usedUp }))),
  );
  await sent;
  expect(new Set(words)).toEqual(new Set(['invite_used_up']));
  expect(hub.metrics.repeatedGroups).toBe(0);
});

test('neither do fifty concurrent registrations with a single-use invite', async () => {
  const fixture = await openUsers();
  const { hub, ada } = fixture;
  const { invite_code } = await ask(hub, ada.utok, createInvite, { network_id: ada.network_id });
  const sent = sends(fixture, 100);
  const words = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      outcomeOf(
        perform(register, hub, { ip: '127.0.0.1' }, { username: `user_${index}`, password: PASSWORD, invite_code }),
      ),
    ),
  );
  await sent;
  expect(words.toSorted().filter((word) => word !== 'invite_used_up')).toEqual(['ok']);
  expect(hub.metrics.repeatedGroups).toBe(0);
});

describe('no group runs twice for', () => {
  test.each<[what: string, word: string, act: (fixture: Fixture, task_id: string) => Promise<unknown>]>([
    [
      'an unknown invite',
      'invite_invalid',
      ({ hub, bea }) => ask(hub, bea.utok, joinNetwork, { invite_code: 'nonsense' }),
    ],
    [
      'a username in use',
      'username_taken',
      ({ hub }) => perform(register, hub, { ip: '127.0.0.1' }, { username: 'ada', password: PASSWORD }),
    ],
    ['an unknown token', 'not_found', ({ hub, ada }) => ask(hub, ada.utok, revokeToken, { token_id: 'tok_none' })],
    [
      'a token in a foreign network',
      'not_found',
      ({ hub, ada }) => ask(hub, ada.utok, createToken, { name: 'x', network_id: 'net_none' }),
    ],
    [
      'an unknown invite id',
      'not_found',
      ({ hub, ada }) => ask(hub, ada.utok, withdrawInvite, { network_id: ada.network_id, invite_id: 'ivt_none' }),
    ],
    [
      'an invite by a member',
      'forbidden',
      ({ hub, ada, bea }) => ask(hub, bea.utok, createInvite, { network_id: ada.network_id }),
    ],
    [
      'a change by a member',
      'forbidden',
      ({ hub, ada, bea }) => ask(hub, bea.utok, updateNetwork, { network_id: ada.network_id, network_name: 'x' }),
    ],
    [
      'a role of an unknown member',
      'not_found',
      ({ hub, ada }) =>
        ask(hub, ada.utok, changeMember, { network_id: ada.network_id, user_id: 'usr_none', role: 'viewer' }),
    ],
    [
      'the removal of an unknown member',
      'not_found',
      ({ hub, ada }) => ask(hub, ada.utok, removeMember, { network_id: ada.network_id, user_id: 'usr_none' }),
    ],
    [
      'the removal of an active network',
      'network_has_active_sessions',
      ({ hub, ada }) => ask(hub, ada.utok, deleteNetwork, { network_id: ada.network_id }),
    ],
    [
      'an unknown message',
      'message not found or not yours',
      ({ hub, ada }) => ask(hub, ada.ntok, ackInbox, { alias: 'bob', message_id: 'none' }),
    ],
    [
      'a settled task that is cancelled',
      'task is terminal',
      ({ hub, ada }, task_id) => ask(hub, ada.ntok, cancelTask, { task_id }),
    ],
    [
      'a settled task that is started',
      'task is terminal',
      ({ hub, ada }, task_id) => ask(hub, ada.ntok, sendAck, { task_id }),
    ],
    [
      'a settled task that is reassigned',
      'task is terminal',
      ({ hub, ada }, task_id) => ask(hub, ada.ntok, reassignTask, { task_id, new_alias: 'eve' }),
    ],
    [
      'a settled task that gets a reply',
      'task is terminal',
      ({ hub, ada }, task_id) => ask(hub, ada.ntok, sendReply, { alias: 'alice', text: 'x', in_reply_to: task_id }),
    ],
    [
      'a reply to nothing',
      'task not found',
      ({ hub, ada }) => ask(hub, ada.ntok, sendReply, { alias: 'alice', text: 'x', in_reply_to: 'none' }),
    ],
    [
      'a live task that is retried',
      'task status is delivered, not retryable',
      async ({ hub, ada }, task_id) => {
        await outcomeOf(ask(hub, ada.ntok, retryTask, { task_id }));
        return ask(hub, ada.ntok, retryTask, { task_id });
      },
    ],
    [
      'an idempotency key of another call',
      'idempotency_conflict',
      ({ hub, ada }) => ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'other', idempotency_key: 'key' }),
    ],
    [
      'a send repeated too often',
      'duplicate_send',
      async ({ hub, ada }) => {
        const again = () => ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'again' });
        for (let times = 0; times < 19; times++) await again();
        return again();
      },
    ],
  ])('%s: %s', async (_, word, act) => {
    const fixture = await openUsers();
    const { hub, ada } = fixture;
    await report(
      {
        hub,
        caller: { ...(await callerOf(fixture)) },
        ask: (operation, input) => ask(hub, ada.ntok, operation, input),
      },
      'bob',
    );
    await ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'first', idempotency_key: 'key' });
    const { task_id } = await ask(hub, ada.ntok, sendTask, { alias: 'bob', task: 'settled' });
    await ask(hub, ada.ntok, cancelTask, { task_id });
    const sent = sends(fixture, 30);
    expect(await outcomeOf(act(fixture, task_id))).toBe(word);
    await sent;
    expect(hub.metrics.repeatedGroups).toBe(0);
  });

  async function callerOf({ ada }: Fixture) {
    return {
      ip: '127.0.0.1',
      token_id: 'tok_test',
      token_kind: 'network',
      user_id: ada.user_id,
      username: 'ada',
      system_role: 'user',
      memberships: [],
      network_id: ada.network_id,
    } as const;
  }
});

test('a statement that changes nothing does not count as a write, and one that fails or changes a row does', async () => {
  const database = await openTestDatabase();
  let repeats = 0;
  const failing = (sql: string, args: readonly (string | number)[]) =>
    database.write(async (tx) => {
      repeats += 1;
      await tx.run(sql, args);
      throw new Error('no');
    });
  await Promise.allSettled([
    note(database, 'a'),
    failing("UPDATE audit_log SET action = 'b' WHERE action = ?", ['none']),
  ]);
  expect(repeats).toBe(1);
  await Promise.allSettled([note(database, 'a'), failing(NOTE, ['b', 1])]);
  expect(repeats).toBe(3);
  expect(await database.read((reader) => reader.all('SELECT action FROM audit_log'))).toEqual([
    { action: 'a' },
    { action: 'a' },
  ]);
});
