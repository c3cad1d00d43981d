// Finds an invite that is usable now, by its code.
import { type Invite, inviteHash, isInviteExpired } from '../../domain/accounts/invite.ts';
import { inviteExpired, inviteInvalid, inviteUsedUp } from '../../domain/errors.ts';
import type { Network } from '../../domain/network.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as invites from '../../store/invites.ts';
import * as networks from '../../store/networks.ts';

/** Throws invite_invalid, invite_expired or invite_used_up. Consumes no use. */
export async function getOpenInvite(reader: Reader, code: string): Promise<{ invite: Invite; network: Network }> {
  const invite = await invites.findByHash(reader, inviteHash(code));
  const network = invite && (await networks.find(reader, invite.network_id));
  if (invite === undefined || network === undefined) throw inviteInvalid();
  if (isInviteExpired(invite, reader.now)) throw inviteExpired();
  if (invite.uses >= invite.max_uses) throw inviteUsedUp();
  return { invite, network };
}
