// Joins a network with an invite code. Checks and use are one transaction, so an invite of ten admits ten.
import * as v from 'valibot';
import type { Caller } from '../../domain/caller.ts';
import { alreadyMember, inviteExpired, inviteInvalid, inviteUsedUp, networkFull } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { inviteHash, isInviteExpired, type Invite } from '../../domain/invite.ts';
import type { Network } from '../../domain/network.ts';
import type { Hub } from '../../hub.ts';
import type { Transaction } from '../../store/database.ts';
import * as invites from '../../store/invites.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { issueToken } from '../tokens/issue-token.ts';

export const joinNetwork = operation({
  name: 'join_network',
  summary: 'Join a network with an invite code.',
  access: 'account',
  input: v.object({ invite_code: fields.name }),
  run: (hub, caller, { invite_code }) => hub.store.write(async (tx) => ({ ok: true, ...(await joinByInvite(hub, tx, caller, invite_code)) })),
});

/** Makes the user a member and a token for him. */
export async function joinByInvite(hub: Hub, tx: Transaction, user: Pick<Caller, 'user_id' | 'username' | 'ip'>, code: string) {
  const { invite: { role }, network: { network_id, network_name } } = await redeem(tx, user.user_id, code);
  await members.insert(tx, network_id, user.user_id, role);
  const { token } = await issueToken(hub, tx, { kind: 'network', user_id: user.user_id, network_id, name: 'invite' });
  await audit(tx, user, { action: 'member.join', target: ['user', user.user_id], network_id, detail: `role ${role}` });
  return { network_id, network_name, role, network_token: token };
}

async function redeem(tx: Transaction, userId: string, code: string): Promise<{ invite: Invite; network: Network }> {
  const invite = await invites.findByHash(tx, inviteHash(code));
  const network = invite && (await networks.find(tx, invite.network_id));
  if (invite === undefined || network === undefined) throw inviteInvalid();
  if ((await members.findRole(tx, network.network_id, userId)) !== undefined) throw alreadyMember();
  if (isInviteExpired(invite, tx.now)) throw inviteExpired();
  if ((await members.count(tx, network.network_id)) >= network.max_members) throw networkFull(network.max_members);
  if (!(await invites.use(tx, invite.invite_id))) throw inviteUsedUp();
  return { invite, network };
}
