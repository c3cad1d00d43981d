// Joins a network with an invite code. Checks and use are one transaction, so an invite of ten admits ten.
import * as v from 'valibot';
import { alreadyMember, inviteExpired, inviteInvalid, inviteUsedUp, networkFull } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { inviteHash, isInviteExpired, type Invite } from '../../domain/invite.ts';
import type { Network } from '../../domain/network.ts';
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
  run: (hub, caller, { invite_code }) =>
    hub.store.write(async (tx) => {
      const { invite, network } = await redeem(tx, caller.user_id, invite_code);
      const { network_id, network_name } = network;
      await members.insert(tx, network_id, caller.user_id, invite.role);
      const { token } = await issueToken(hub, tx, { kind: 'network', user_id: caller.user_id, network_id, name: 'invite' });
      await audit(tx, caller, { action: 'member.join', target: ['user', caller.user_id], network_id, detail: `role ${invite.role}` });
      return { ok: true, network_id, network_name, role: invite.role, network_token: token };
    }),
});

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
