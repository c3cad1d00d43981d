// An invite: a code that lets its holders join a network in a role, with a use limit and an expiry.
import { hash } from 'node:crypto';
import type { Ids } from '../ids/ids.ts';
import type { InviteRole } from '../network.ts';
import type { Millis } from '../time/clock.ts';
import { timestamp } from '../time/time.ts';

export type Invite = {
  invite_id: string;
  network_id: string;
  role: InviteRole;
  max_uses: number;
  uses: number;
  created_at: Millis;
  expires_at: Millis;
};

/** `inv_` and 24 random base62 characters; only its hash is stored. */
export function newInviteCode(ids: Ids): string {
  return `inv_${ids.word(24)}`;
}

export function inviteHash(code: string): string {
  return hash('sha256', code, 'hex');
}

export function isInviteExpired(invite: Pick<Invite, 'expires_at'>, now: Millis): boolean {
  return now >= invite.expires_at;
}

export function inviteRecord(invite: Invite) {
  return {
    invite_id: invite.invite_id,
    role: invite.role,
    max_uses: invite.max_uses,
    uses: invite.uses,
    created_at: timestamp(invite.created_at),
    expires_at: timestamp(invite.expires_at),
  };
}
