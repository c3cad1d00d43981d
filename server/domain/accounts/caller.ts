// The caller of a request. It is resolved from the token on every request, so a revoked token, a removed member or a
// changed role takes effect on the next request.
import type { NetworkRole } from '../network.ts';
import type { Millis } from '../time/clock.ts';
import type { TokenKind } from './token.ts';
import type { SystemRole } from './user.ts';

/** A caller without a token: only the address is known, and a bearer that is not a token (the setup token). */
export type Visitor = {
  ip: string;
  bearer?: string;
  /** The request passed through a proxy. */
  isForwarded?: boolean;
};

export type Membership = { network_id: string; role: NetworkRole; trial_ends_at: Millis | null };

/** The holder of a token. A network token has exactly one membership, a user token all those of its user. */
export type Caller = {
  ip: string;
  token_id: string;
  token_kind: TokenKind;
  user_id: string;
  username: string;
  system_role: SystemRole;
  memberships: readonly Membership[];
  /** Hash of the token, to look up the caller again. */
  token_hash?: string;
  /** The access version at which this caller was read. */
  access_version?: number;
  /** When the token expires, as of that version; using a user token extends it. */
  expires_at?: Millis | null;
};

/** A caller who may read these networks. Reads with `asViewer` record no heartbeat or fetch. */
export type NetworkReader = Caller & { networks: readonly string[]; asViewer: boolean };

/** A caller with an open stream or wait, in these networks or in all of theirs. */
export type Opener = Caller & Partial<Pick<NetworkReader, 'networks'>>;

export function networksOf({ networks, memberships }: Opener): readonly string[] {
  return networks ?? memberships.map(({ network_id }) => network_id);
}

/** A caller who may write into one network. */
export type NetworkWriter = Caller & { network_id: string; role: NetworkRole; trial_ends_at: Millis | null };
