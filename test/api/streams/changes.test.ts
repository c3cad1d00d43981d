// The `changed` event: reported to exactly those who may list what changed and who request it, and never stored.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ChangeData } from '../../../server/domain/changes.ts';
import { login } from '../../../server/operations/accounts/login.ts';
import { updateMe } from '../../../server/operations/accounts/update-me.ts';
import { reportStatus } from '../../../server/operations/agents/report-status.ts';
import { sendMessage } from '../../../server/operations/messages/send-message.ts';
import { changeMember } from '../../../server/operations/networks/change-member.ts';
import { createInvite } from '../../../server/operations/networks/create-invite.ts';
import { createNetwork } from '../../../server/operations/networks/create-network.ts';
import { deleteNetwork } from '../../../server/operations/networks/delete-network.ts';
import { joinNetwork } from '../../../server/operations/networks/join-network.ts';
import { listInvites } from '../../../server/operations/networks/list-invites.ts';
import { removeMember } from '../../../server/operations/networks/remove-member.ts';
import { withdrawInvite } from '../../../server/operations/networks/withdraw-invite.ts';
import { perform } from '../../../server/operations/operation.ts';
import { forgetAgent } from '../../../server/operations/operator/agents/forget-agent.ts';
import { performAsOperator } from '../../../server/operations/operator/operator-operation.ts';
import { revokeToken as revokeAnyToken } from '../../../server/operations/operator/tokens/revoke-token.ts';
import { setRole } from '../../../server/operations/operator/users/set-role.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import { listTokens } from '../../../server/operations/tokens/list-tokens.ts';
import { revokeToken } from '../../../server/operations/tokens/revoke-token.ts';
import { type EventReader, openEvents } from '../../support/http/event-reader.ts';
import type { JsonObject } from '../../support/json.ts';
import type { TestHub } from '../../support/test-hub.ts';
import { serveTestHub } from '../tenancy/served-hub.ts';
import { ask, PASSWORD, signUp, signUpInto, type User } from '../tenancy/users.ts';

const NAMES = ['admin', 'owner', 'member', 'viewer', 'stranger'] as const;
type Name = (typeof NAMES)[number];
type Fixture = { hub: TestHub; url: string; users: Record<Name, User>; readers: Record<Name, EventReader> };

async function openFixture(): Promise<Fixture> {
  const { hub, url } = await serveTestHub();
  const owner = await signUp(hub, 'owner');
  const users = {
    owner,
    admin: await signUp(hub, 'admin'),
    member: await signUpInto(hub, 'member', 'member', owner),
    viewer: await signUpInto(hub, 'viewer', 'viewer', owner),
    stranger: await signUp(hub, 'stranger'),
  };
  await performAsOperator(setRole, hub, { user: 'admin', role: 'admin' });
  await performAsOperator(setRole, hub, { user: 'owner', role: 'user' });
  const readers = {} as Record<Name, EventReader>;
  for (const name of NAMES) readers[name] = await follow(url, users[name].utok);
  return { hub, url, users, readers };
}

async function follow(url: string, token: string, query = 'changes=true', lastEventId?: string): Promise<EventReader> {
  const reader = await openEvents(`${url}/events?${query}`, token, lastEventId === undefined ? {} : { lastEventId });
  onTestFinished(() => reader.close());
  return reader;
}

type Act = (fixture: Fixture) => Promise<unknown>;
type Row = [what: string, act: Act, told: Partial<Record<Name, readonly ChangeData['what'][]>>];

const inviteBy = ({ hub, users: { owner } }: Fixture) =>
  ask(hub, owner.utok, createInvite, { network_id: owner.network_id, role: 'member' });

const ROWS: Row[] = [
  ['an invite', inviteBy, { owner: ['invites'] }],
  [
    'a withdrawn invite',
    async (fixture) => {
      const { hub, users } = fixture;
      const { network_id, utok } = users.owner;
      await inviteBy(fixture);
      const { invites } = await ask(hub, utok, listInvites, { network_id });
      await ask(hub, utok, withdrawInvite, { network_id, invite_id: invites[0]?.invite_id });
    },
    { owner: ['invites', 'invites'] },
  ],
  [
    'somebody who joins',
    async (fixture) => {
      const { invite_code } = await inviteBy(fixture);
      await ask(fixture.hub, fixture.users.stranger.utok, joinNetwork, { invite_code });
    },
    {
      owner: ['invites', 'members', 'invites'],
      admin: ['members'],
      member: ['members'],
      viewer: ['members'],
      // Their stream was opened before they were a member.
      stranger: ['tokens', 'members'],
    },
  ],
  [
    'a member who is removed',
    ({ hub, users: { owner, member } }) =>
      ask(hub, owner.utok, removeMember, { network_id: owner.network_id, user_id: member.user_id }),
    { owner: ['members'], admin: ['members'], viewer: ['members'] },
  ],
  [
    'a removed member who follows another network, with their tokens',
    async (fixture) => {
      const { hub, users, readers } = fixture;
      const { network_id, utok } = users.owner;
      const { invite_code } = await inviteBy(fixture);
      await ask(hub, users.stranger.utok, joinNetwork, { invite_code });
      await readers.stranger.next('changed', { what: 'members' }); // their rights are looked up before it is reported
      await ask(hub, utok, removeMember, { network_id, user_id: users.stranger.user_id });
    },
    {
      owner: ['invites', 'members', 'invites', 'members'],
      admin: ['members', 'members'],
      member: ['members', 'members'],
      viewer: ['members', 'members'],
      stranger: ['tokens', 'members', 'tokens'],
    },
  ],
  [
    'a deleted network, whose tokens are gone',
    async ({ hub, users: { owner, stranger }, readers }) => {
      const { network_id } = await ask(hub, owner.utok, createNetwork, { name: 'brief' });
      const { invite_code } = await ask(hub, owner.utok, createInvite, { network_id, role: 'member' });
      await ask(hub, stranger.utok, joinNetwork, { invite_code });
      await readers.stranger.next('changed', { what: 'members' }); // as above
      await ask(hub, owner.utok, deleteNetwork, { network_id });
    },
    {
      owner: ['invites', 'members', 'invites'],
      admin: ['members'],
      stranger: ['tokens', 'members', 'tokens'],
    },
  ],
  [
    'a forgotten agent',
    async ({ hub, users: { owner } }) => {
      const builder = { resume_id: 'b', alias: 'builder', status: 'idle' };
      await ask(hub, owner.ntok, reportStatus, builder);
      await performAsOperator(forgetAgent, hub, { network: owner.network_id, alias: 'builder' });
    },
    { owner: ['agents'], admin: ['agents'], member: ['agents'], viewer: ['agents'] },
  ],
  [
    'a changed role',
    ({ hub, users: { owner, member } }) =>
      ask(hub, owner.utok, changeMember, { network_id: owner.network_id, user_id: member.user_id, role: 'viewer' }),
    { owner: ['members'], admin: ['members'], viewer: ['members'] },
  ],
  [
    'no change: the role that a member already has',
    ({ hub, users: { owner, member } }) =>
      ask(hub, owner.utok, changeMember, { network_id: owner.network_id, user_id: member.user_id, role: 'member' }),
    {},
  ],
  [
    'a token',
    ({ hub, users: { member, owner } }) =>
      ask(hub, member.utok, createToken, { name: 'new', network_id: owner.network_id }),
    { member: ['tokens'] },
  ],
  [
    'a revoked token',
    async ({ hub, users: { stranger } }) => {
      const { tokens } = await ask(hub, stranger.utok, listTokens, {});
      const network = tokens.find(({ kind }) => kind === 'network');
      await ask(hub, stranger.utok, revokeToken, { token_id: network?.token_id });
    },
    { stranger: ['tokens'] },
  ],
  [
    'a token that the operator revokes',
    async ({ hub, users: { stranger } }) => {
      const { tokens } = await ask(hub, stranger.utok, listTokens, {});
      const network = tokens.find(({ kind }) => kind === 'network');
      await performAsOperator(revokeAnyToken, hub, { token_id: network?.token_id });
    },
    { stranger: ['tokens'] },
  ],
  [
    'a sign-in',
    ({ hub }) => perform(login, hub, { ip: '192.0.2.1' }, { username: 'viewer', password: PASSWORD }),
    { viewer: ['tokens'] },
  ],
  [
    'a display name',
    ({ hub, users: { stranger } }) => ask(hub, stranger.utok, updateMe, { display_name: 'S' }),
    { admin: ['users', 'members'], stranger: ['members'] },
  ],
  [
    'the display name of a member',
    ({ hub, users: { viewer } }) => ask(hub, viewer.utok, updateMe, { display_name: 'V' }),
    // In the network of the owner, and in their own.
    { owner: ['members'], admin: ['users', 'members', 'members'], member: ['members'], viewer: ['members', 'members'] },
  ],
  ['a new user', ({ hub }) => signUp(hub, 'newcomer'), { admin: ['users'] }],
];

describe('a change', () => {
  test.each(ROWS)('%s is reported to exactly those who may list it', async (_, act, told) => {
    const fixture = await openFixture();
    await act(fixture);
    for (const name of NAMES)
      expect
        .soft(
          (await changesOf(fixture, name)).map(({ what }) => what),
          name,
        )
        .toEqual(told[name] ?? []);
  });

  test('carries no more than what changed, has no id, and is not replayed', async () => {
    const fixture = await openFixture();
    const { owner } = fixture.users;
    await inviteBy(fixture);
    const event = await fixture.readers.owner.next('changed');
    expect(event).toEqual({
      name: 'changed',
      id: undefined,
      data: { type: 'changed', what: 'invites', network_id: owner.network_id },
    });
    const lastEventId = fixture.readers.owner.lastEventId() ?? '';
    await inviteBy(fixture);
    fixture.readers.owner = await follow(fixture.url, owner.utok, 'changes=true', lastEventId);
    expect(await changesOf(fixture, 'owner')).toEqual([]);
  });

  test.each([
    ['a stream that does not request it', 'utok', ''],
    ['a network token', 'ntok', 'changes=true'],
  ] as const)('is not reported to %s', async (_, token, query) => {
    const fixture = await openFixture();
    fixture.readers.owner = await follow(fixture.url, fixture.users.owner[token], query);
    await inviteBy(fixture);
    expect(await changesOf(fixture, 'owner')).toEqual([]);
  });

  test('is not reported to the stream of an agent', async () => {
    const fixture = await openFixture();
    const { owner } = fixture.users;
    const reader = await openEvents(`${fixture.url}/events/bob?changes=true`, owner.utok);
    onTestFinished(() => reader.close());
    await inviteBy(fixture);
    await mark(fixture, owner);
    await reader.next('new_message');
    expect(reader.arrived().filter(({ name }) => name === 'changed')).toEqual([]);
  });
});

/** The changes reported before a message that is sent now, or before the stream ended. */
async function changesOf(fixture: Fixture, name: Name): Promise<JsonObject[]> {
  const reader = fixture.readers[name];
  await mark(fixture, fixture.users[name]);
  await reader.next('new_message').catch(() => reader.ended);
  return reader.arrived().flatMap((event) => (event.name === 'changed' ? [event.data] : []));
}

function mark({ hub }: Fixture, { utok, network_id }: User): Promise<unknown> {
  return ask(hub, utok, sendMessage, { network_id, alias: 'bob', message: 'mark' });
}
