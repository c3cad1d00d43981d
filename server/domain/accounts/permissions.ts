// The permission table: the kinds of access and the roles that have them.
import { permissionDenied } from '../errors.ts';
import type { NetworkRole } from '../network.ts';
import type { Caller, NetworkReader, NetworkWriter, Visitor } from './caller.ts';

/**
 * public: no token; account: a user token; read and write: a network, through its own token or a member's user token.
 */
export type Access = 'public' | 'account' | 'read' | 'write';

/** The caller that `run` receives for each kind of access. */
export type CallerFor = { public: Visitor; account: Caller; read: NetworkReader; write: NetworkWriter };

const ROLES_THAT = {
  read: ['owner', 'member', 'viewer'],
  write: ['owner', 'member'],
} as const satisfies Record<'read' | 'write', readonly NetworkRole[]>;

export function may(role: NetworkRole, action: 'read' | 'write'): boolean {
  return ROLES_THAT[action].some((allowed) => allowed === role);
}

export function assertMayWrite(role: NetworkRole): void {
  if (!may(role, 'write'))
    throw permissionDenied(`a ${role} may read but not write; ask the owner for the member role`);
}
