// Joins a network with an invite code. Check and use share one transaction, so an invite with ten uses admits exactly
// ten.
import * as v from 'valibot';
import type { Caller } from '../../domain/accounts/caller.ts';
import { type Invite, inviteHash, isInviteExpired } from '../../domain/accounts/invite.ts';
import { alreadyMember, inviteExpired, inviteInvalid, inviteUsedUp, networkFull } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import type { Network } from '../../domain/network.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as invites from '../../store/invites.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';
import { assertMayJoinAnother, makeRoomForMember } from '../quotas.ts';
import { audit } from '../records/audit.ts';
import { issueToken } from '../tokens/issue-token.ts';

type OpenInvite = { invite: Invite; network: Network };

export const joinNetwork = operation({
  name: 'join_network',
  summary: 'Join a network with an invite code.',
  access: 'account',
  input: v.object({ invite_code: fields.name }),
  run: (hub, caller, { invite_code }, { store }) =>
    store.write(async (tx) => {
      const open = await assertMayJoin(tx, caller.user_id, invite_code);
      await assertMayJoinAnother(hub, tx, caller.user_id);
      await makeRoomForMember(hub, tx, caller.user_id);
      return { ok: true, ...(await join(hub, tx, caller, open)) };
    }),
});

/** Consumes one use of the invite, adds the user as a member and creates a token for them. */
export async function join(
  hub: Hub,
  tx: Transaction,
  user: Pick<Caller, 'user_id' | 'username' | 'ip'>,
  { invite, network }: OpenInvite,
) {
  const [{ role }, { network_id, network_name }] = [invite, network];
  await invites.use(tx, invite.invite_id);
  await members.insert(tx, network_id, user.user_id, role);
  const { token } = await issueToken(hub, tx, { kind: 'network', user_id: user.user_id, network_id, name: 'invite' });
  await audit(tx, user, { action: 'member.join', target: ['user', user.user_id], network_id, detail: `role ${role}` });
  tx.afterCommit(() => hub.changes.announce({ what: 'members', network_id }, { what: 'invites', network_id }));
  return { network_id, network_name, role, network_token: token };
}

/** Returns the invite and its network if this user, or a user yet to be created, may join. Writes nothing. */
export async function assertMayJoin(tx: Transaction, userId: string | undefined, code: string): Promise<OpenInvite> {
  const invite = await invites.findByHash(tx, inviteHash(code));
  const network = invite && (await networks.find(tx, invite.network_id));
  if (invite === undefined || network === undefined) throw inviteInvalid();
  if (userId !== undefined && (await members.findRole(tx, network.network_id, userId)) !== undefined)
    throw alreadyMember();
  if (isInviteExpired(invite, tx.now)) throw inviteExpired();
  if ((await members.count(tx, network.network_id)) >= network.max_members) throw networkFull(network.max_members);
  if (invite.uses >= invite.max_uses) throw inviteUsedUp();
  return { invite, network };
}
