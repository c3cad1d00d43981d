// Who is asking. A caller is made anew from the bearer at every request, so a revoked token, a removed member or a
// changed role counts from the next request on.
import type { NetworkRole } from '../network.ts';
import type { Millis } from '../time/clock.ts';
import type { TokenKind } from './token.ts';
import type { SystemRole } from './user.ts';

/** Somebody without a token: all that is known is the address, and a bearer that is no token (the setup token). */
export type Visitor = {
  ip: string;
  bearer?: string;
  /** The request passed a proxy. */
  isForwarded?: boolean;
  /** Aborted when nobody waits for the answer any more. */
  gone?: AbortSignal;
};

export type Membership = { network_id: string; role: NetworkRole; trial_ends_at: Millis | null };

/** The holder of a token. A network token has exactly one membership, a user token all of its user's. */
export type Caller = {
  ip: string;
  token_id: string;
  token_kind: TokenKind;
  user_id: string;
  username: string;
  system_role: SystemRole;
  memberships: readonly Membership[];
  /** Of the token, to look the caller up again. */
  token_hash?: string;
  /** The version of who may do what that this caller was read at. */
  access_version?: number;
  /** When the token was over, as of then; a user token's end moves with its use. */
  expires_at?: Millis | null;
  /** Aborted when nobody waits for the answer any more. */
  gone?: AbortSignal;
};

/** A caller who may read, and the networks the answer spans; `asViewer` reads leave no trace. */
export type NetworkReader = Caller & { networks: readonly string[]; asViewer: boolean };

/** A caller who holds something open: in these networks, or in all of theirs. */
export type Opener = Caller & Partial<Pick<NetworkReader, 'networks'>>;

export function networksOf({ networks, memberships }: Opener): readonly string[] {
  return networks ?? memberships.map(({ network_id }) => network_id);
}

/** A caller who may write into one network. */
export type NetworkWriter = Caller & { network_id: string; role: NetworkRole; trial_ends_at: Millis | null };
