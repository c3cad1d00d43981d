// The kinds of access and the caller of each. What each role may do is in `../network.ts`.
import { permissionDenied } from '../errors.ts';
import { may, type NetworkRole } from '../network.ts';
import type { Caller, NetworkReader, NetworkWriter, Visitor } from './caller.ts';

/**
 * public: no token; account: a user token; read and write: a network, through its own token or a member's user token.
 */
export type Access = 'public' | 'account' | 'read' | 'write';

/** The caller that `run` receives for each kind of access. */
export type CallerFor = { public: Visitor; account: Caller; read: NetworkReader; write: NetworkWriter };

export function assertMayWrite(role: NetworkRole): void {
  if (!may(role, 'write'))
    throw permissionDenied(`a ${role} may read but not write; ask the owner for the member role`);
}
