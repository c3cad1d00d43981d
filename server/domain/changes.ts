// Changes to accounts, tokens, members, invites and the list of agents, which a console follows to reload what it
// shows. They say only what changed, are not stored and have no id: a reader that was disconnected reloads everything
// anyway.
import type { Caller } from './accounts/caller.ts';

export type Change =
  | { what: 'members' | 'invites' | 'agents'; network_id: string }
  | { what: 'tokens'; user_id: string }
  | { what: 'users' };

export type ChangeData = { type: 'changed'; what: Change['what']; network_id?: string };

/** Whether the caller may list what changed. */
export function mayLearn(change: Change, caller: Pick<Caller, 'user_id' | 'system_role' | 'memberships'>): boolean {
  if (change.what === 'tokens') return change.user_id === caller.user_id;
  if (change.what === 'users') return caller.system_role === 'admin';
  const role = caller.memberships.find(({ network_id }) => network_id === change.network_id)?.role;
  return change.what === 'invites' ? role === 'owner' : role !== undefined || caller.system_role === 'admin';
}

export function changeData(change: Change): ChangeData {
  const { what } = change;
  return { type: 'changed', what, ...('network_id' in change && { network_id: change.network_id }) };
}
