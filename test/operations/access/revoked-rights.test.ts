// Revoking access ends open streams, waits and subscriptions within a second, also while they are being opened, and
// prevents all later writes.
import { describe, expect, onTestFinished, test } from 'vitest';
import { USER_TOKEN_IDLE_MS } from '../../../server/domain/limits.ts';
import { DAY_MS } from '../../../server/domain/time/time.ts';
import { changePassword } from '../../../server/operations/accounts/change-password.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { changeMember } from '../../../server/operations/networks/change-member.ts';
import { deleteNetwork } from '../../../server/operations/networks/delete-network.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { perform } from '../../../server/operations/operation.ts';
import { deleteNetwork as deleteAnyNetwork } from '../../../server/operations/operator/networks/delete-network.ts';
import { performAsOperator } from '../../../server/operations/operator/operator-operation.ts';
import { listTokens as listAllTokens } from '../../../server/operations/operator/tokens/list-tokens.ts';
import { revokeToken as revokeAnyToken } from '../../../server/operations/operator/tokens/revoke-token.ts';
import { resetPassword } from '../../../server/operations/operator/users/reset-password.ts';
import { disableUser } from '../../../server/operations/operator/users/set-disabled.ts';
import { sendTask } from '../../../server/operations/tasks/send-task.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { identify } from '../../../server/operations/tokens/identify.ts';
import { listTokens } from '../../../server/operations/tokens/list-tokens.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { flushWriteBehind } from '../../../server/operations/write-behind.ts';
import { endAccess, removeNetworks } from '../../../server/sweeps/sweeps.ts';
import { serveTestHub } from '../../api/tenancy/served-hub.ts';
import { subscribing } from '../../api/tenancy/stream.ts';
import { ask, PASSWORD, signUp, signUpInto, type User } from '../../api/tenancy/users.ts';
import { dump, outcomeOf } from '../../support/fixture.ts';
import type { TestHub } from '../../support/test-hub.ts';

const WITHIN_MS = 1_000;

type Fixture = { hub: TestHub; url: string; owner: User; affected: User; otherMember: User; taskId: string };

async function openFixture(served?: (hub: TestHub) => TestHub): Promise<Fixture> {
  const { hub, url } = await serveTestHub(served);
  const owner = await signUp(hub, 'owner');
  const affected = await signUpInto(hub, 'affected', 'member', owner);
  const otherMember = await signUpInto(hub, 'other', 'member', owner);
  const { task_id: taskId } = await ask(hub, owner.ntok, sendTask, {
    alias: 'bob',
    task: 'wait for me',
    ttl_seconds: 86_400,
  });
  return { hub, url, owner, affected, otherMember, taskId };
}

/** Everything a token can hold open. Each ends when its response is complete or rejected. */
type Opening = { token: 'ntok' | 'utok'; open(fixture: Fixture, user: User): Promise<Opened> };
type Opened = { isEnded(): boolean; ended: Promise<void> };

const OPENINGS: Readonly<Record<string, Opening>> = {
  'the stream of an agent': {
    token: 'ntok',
    open: ({ url }, { ntok }) => opened(`${url}/events/bob`, { headers: bearer(ntok) }),
  },
  'the stream of a network': {
    token: 'ntok',
    open: ({ url }, { ntok }) => opened(`${url}/events`, { headers: bearer(ntok) }),
  },
  'the stream of a user': {
    token: 'utok',
    open: ({ url }, { utok }) => opened(`${url}/events`, { headers: bearer(utok) }),
  },
  wait_task: {
    token: 'ntok',
    open: ({ url, taskId }, { ntok }) => called(url, ntok, 'wait_task', { task_id: taskId, timeout_seconds: 300 }),
  },
  get_inbox: {
    token: 'ntok',
    open: ({ url }, { ntok }) => called(url, ntok, 'get_inbox', { alias: 'nobody', wait_seconds: 300 }),
  },
  'wait_task as a stream': {
    token: 'ntok',
    open: ({ url, taskId }, { ntok }) =>
      called(url, ntok, 'wait_task', { task_id: taskId, timeout_seconds: 300 }, 'text/event-stream'),
  },
  'a subscription': {
    token: 'ntok',
    open: ({ url }, { ntok }) => opened(`${url}/mcp`, subscribing(ntok, ['hub://status'])),
  },
};

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** Resolves with the headers where those come first, and immediately for a complete response. */
async function opened(url: string, init: RequestInit, waitsForHeaders = true): Promise<Opened> {
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const response = fetch(url, { ...init, signal: leaving.signal });
  let isEnded = false;
  const ended = response
    .then((response) => response.text())
    .then(
      () => void (isEnded = true),
      () => {},
    );
  if (waitsForHeaders) await response;
  return { ended, isEnded: () => isEnded };
}

function called(url: string, token: string, name: string, args: object, accept = 'application/json'): Promise<Opened> {
  const headers = { ...bearer(token), 'Content-Type': 'application/json', Accept: accept };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  return opened(`${url}/mcp`, { method: 'POST', headers, body }, accept !== 'application/json');
}

/** The ways to lose access, and whose token each affects. */
type Loss = { ends: readonly Opening['token'][]; affectsAll?: true; take(fixture: Fixture): Promise<unknown> };

const LOSSES: Readonly<Record<string, Loss>> = {
  'its network token is revoked': { ends: ['ntok'], take: ({ hub, affected }) => revoke(hub, affected, 'network') },
  'its user token is revoked': { ends: ['utok'], take: ({ hub, affected }) => revoke(hub, affected, 'user') },
  'its password is changed elsewhere': { ends: ['utok'], take: changePasswordElsewhere },
  'its user is removed': {
    ends: ['ntok', 'utok'],
    take: ({ hub, owner, affected }) => ask(hub, owner.utok, removeMember, memberOf(owner, affected)),
  },
  'its user leaves': {
    ends: ['ntok', 'utok'],
    take: ({ hub, owner, affected }) => ask(hub, affected.utok, removeMember, memberOf(owner, affected)),
  },
  'its user gets another role': {
    ends: ['ntok', 'utok'],
    take: ({ hub, owner, affected }) =>
      ask(hub, owner.utok, changeMember, { ...memberOf(owner, affected), role: 'viewer' }),
  },
  'its network is deleted': {
    ends: ['ntok', 'utok'],
    affectsAll: true,
    take: ({ hub, owner }) => ask(hub, owner.utok, deleteNetwork, { network_id: owner.network_id }),
  },
  'the operator disables its user': {
    ends: ['ntok', 'utok'],
    take: ({ hub, affected }) => performAsOperator(disableUser, hub, { user: affected.username }),
  },
  'the operator gives its user a new password': {
    ends: ['utok'],
    take: ({ hub, affected }) => performAsOperator(resetPassword, hub, { user: affected.username }),
  },
  'the operator revokes its network token': { ends: ['ntok'], take: revokeAsOperator },
  'the operator deletes its network': {
    ends: ['ntok', 'utok'],
    affectsAll: true,
    take: ({ hub, owner }) => performAsOperator(deleteAnyNetwork, hub, { network: owner.network_id, force: true }),
  },
};

async function revokeAsOperator({ hub, affected }: Fixture): Promise<unknown> {
  const { tokens } = await performAsOperator(listAllTokens, hub, { user: affected.username });
  const { token_id } = tokens.findLast(({ kind }) => kind === 'network') ?? {}; // the latest
  return performAsOperator(revokeAnyToken, hub, { token_id });
}

function memberOf({ network_id }: User, { user_id }: User) {
  return { network_id, user_id };
}

async function revoke(hub: TestHub, { utok }: User, kind: string): Promise<unknown> {
  const { tokens } = await ask(hub, utok, listTokens, {});
  const { token_id } = tokens.find((token) => token.kind === kind) ?? {};
  return ask(hub, utok, revokeToken, { token_id });
}

async function changePasswordElsewhere({ hub, affected }: Fixture): Promise<unknown> {
  const { token } = await perform(login, hub, { ip: '127.0.0.1' }, { username: affected.username, password: PASSWORD });
  return ask(hub, token, changePassword, { old_password: PASSWORD, new_password: 'another one' });
}

describe('open connections end within a second when', () => {
  test.each(Object.entries(LOSSES))('%s', async (_, { ends, affectsAll, take }) => {
    let watched = 0;
    const fixture = await openFixture((hub) => ({
      ...hub,
      revocations: {
        ...hub.revocations,
        watch: (...args) => {
          watched++;
          return hub.revocations.watch(...args);
        },
      },
    }));
    const openings = Object.entries(OPENINGS);
    const ofAffected = await Promise.all(
      openings.map(async ([title, { token, open }]) => ({ title, token, line: await open(fixture, fixture.affected) })),
    );
    const ofBystander = await Promise.all(
      openings.map(async ([title, { open }]) => ({ title, line: await open(fixture, fixture.otherMember) })),
    );
    await expect.poll(() => watched, { message: 'all are open' }).toBe(2 * openings.length);
    await take(fixture);

    const lost = [...ofAffected.filter(({ token }) => ends.includes(token)), ...(affectsAll ? ofBystander : [])];
    const kept = [...ofAffected, ...ofBystander].filter((each) => !lost.includes(each));
    expect(await stillOpenAfter(WITHIN_MS, lost)).toEqual([]);
    expect(
      kept.filter(({ line }) => line.isEnded()).map(({ title }) => title),
      'ended without a reason',
    ).toEqual([]);
  });
});

describe('open connections of an expired token', () => {
  async function openAll(tokenOf: (fixture: Fixture) => Promise<User>, kind: Opening['token']) {
    let watched = 0;
    const fixture = await openFixture((hub) => ({
      ...hub,
      revocations: {
        ...hub.revocations,
        watch: (...args) => {
          watched++;
          return hub.revocations.watch(...args);
        },
      },
    }));
    const user = await tokenOf(fixture);
    const openings = Object.entries(OPENINGS).filter(([, { token }]) => token === kind);
    const lines = await Promise.all(
      openings.map(async ([title, { open }]) => ({ title, line: await open(fixture, user) })),
    );
    await expect.poll(() => watched, { message: 'all are open' }).toBe(openings.length);
    return { ...fixture, lines, areOpen: () => lines.every(({ line }) => !line.isEnded()) };
  }

  test('end within a second', async () => {
    const { hub, lines, areOpen } = await openAll(async ({ hub, owner, affected }) => {
      const { token: ntok } = await ask(hub, affected.utok, createToken, {
        name: 'for a day',
        network_id: owner.network_id,
        expires_in_days: 1,
      });
      return { ...affected, ntok };
    }, 'ntok');
    hub.clock.advance(DAY_MS - 1);
    expect(await endAccess(hub)).toEqual({ tokens: 0 });
    expect(areOpen()).toBe(true);
    hub.clock.advance(1);
    expect(await endAccess(hub)).toEqual({ tokens: 1 });
    expect(await stillOpenAfter(WITHIN_MS, lines)).toEqual([]);
  });

  test('stay open while a user token is in use, and end with it', async () => {
    const { hub, affected, lines, areOpen } = await openAll(async ({ affected }) => affected, 'utok');
    hub.clock.advance(USER_TOKEN_IDLE_MS - 1);
    await ask(hub, affected.utok, listTokens, {});
    await flushWriteBehind(hub);
    hub.clock.advance(USER_TOKEN_IDLE_MS - 1);
    expect(await endAccess(hub)).toEqual({ tokens: 0 });
    expect(areOpen()).toBe(true);
    hub.clock.advance(1);
    expect(await endAccess(hub)).toEqual({ tokens: 1 });
    expect(await stillOpenAfter(WITHIN_MS, lines)).toEqual([]);
  });
});

type Line = { title: string; line: Opened };

async function stillOpenAfter(milliseconds: number, lines: readonly Line[]): Promise<string[]> {
  const timeout = AbortSignal.timeout(milliseconds);
  const timer = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()));
  await Promise.race([Promise.all(lines.map(({ line }) => line.ended)), timer]);
  return lines.filter(({ line }) => !line.isEnded()).map(({ title }) => title);
}

describe('connections being opened end as well when', () => {
  // With another role the user can still read.
  const losses = Object.entries(LOSSES).filter(([loss]) => loss !== 'its user gets another role');
  test.each(losses)('%s', async (_, { ends, take }) => {
    for (const [title, { token, open }] of Object.entries(OPENINGS)) {
      for (const read of ends.includes(token) ? [1, 2, 3] : []) {
        const fixture = await openBetween(read, take);
        const line = await open(fixture, fixture.affected);
        await fixture.untilTaken();
        expect.soft(await stillOpenAfter(WITHIN_MS, [{ title, line }]), `taken before read ${read}`).toEqual([]);
      }
    }
  });

  /** A fixture where access is revoked just before this read of the following request, or else once it waits. */
  async function openBetween(read: number, take: Loss['take']) {
    let untilRead = Infinity;
    let taken: Promise<unknown> | undefined;
    const fixture = await openFixture((hub) => ({
      ...hub,
      store: {
        ...hub.store,
        read: async (work) => {
          if (--untilRead === 0) await takeNow();
          return hub.store.read(work);
        },
      },
      revocations: {
        ...hub.revocations,
        watch: (...args) => {
          const stop = hub.revocations.watch(...args);
          void takeNow();
          return stop;
        },
      },
    }));
    const takeNow = () => (taken ??= take(fixture));
    // Known from an earlier request, like an agent that has worked here for a while.
    for (const token of [fixture.affected.ntok, fixture.affected.utok])
      await fetch(`${fixture.url}/api/stats`, { headers: bearer(token) });
    untilRead = read;
    return { ...fixture, untilTaken: () => expect.poll(() => taken).toBeDefined() };
  }
});

describe('nothing is written with access revoked after authorization, when', () => {
  test.each(Object.entries(LOSSES).filter(([, { ends }]) => ends.includes('ntok')))('%s', async (_, { take }) => {
    const fixture = await openFixture();
    const caller = await identify(fixture.hub, fixture.affected.ntok, '127.0.0.1');
    if (caller === undefined) throw new Error('the victim has no right to lose');
    await take(fixture);
    const before = await dump(fixture);
    expect
      .soft(await outcomeOf(perform(sendTask, fixture.hub, caller, { alias: 'bob', task: 'too late' })))
      .not.toBe('ok');
    const after = await dump(fixture);
    expect(
      Object.keys(before).filter((table) => JSON.stringify(before[table]) !== JSON.stringify(after[table])),
      'what was written',
    ).toEqual([]);
  });

  test('deleting a network during writes removes everything and causes no internal error', async () => {
    const { hub, owner, affected } = await openFixture();
    const { network_id } = owner;
    // Who asks is known to all that follow.
    await Promise.all([affected.ntok, owner.utok].map((token) => identify(hub, token, '127.0.0.1')));
    const writes = Array.from({ length: 20 }, (_, index) =>
      outcomeOf(ask(hub, affected.ntok, sendMessage, { alias: 'bob', message: `message ${index}` })),
    );
    const words = await Promise.all([
      ...writes.slice(0, 10),
      outcomeOf(ask(hub, owner.utok, deleteNetwork, { network_id })),
      ...writes.slice(10),
    ]);
    expect(words[10]).toBe('ok');
    await removeNetworks(hub);
    const left = Object.entries(await dump({ hub })).filter(
      ([table, rows]) => table !== 'audit_log' && JSON.stringify(rows).includes(network_id),
    );
    expect(
      left.map(([table]) => table),
      'where something is left',
    ).toEqual([]);
  });
});
