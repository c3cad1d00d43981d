// Rights may end between the look at a bearer and what is done in its name. A write looks again inside its transaction,
// and what stays open is told the moment a right is revoked.
import type { Caller } from '../domain/caller.ts';
import { notAMember, unauthorized } from '../domain/errors.ts';
import { assertMayWrite } from '../domain/permissions.ts';
import type { Hub } from '../hub.ts';
import type { Transaction } from '../store/database.ts';
import * as members from '../store/members.ts';
import * as tokens from '../store/tokens.ts';

/** The hub with a store whose writes begin by asking whether the caller still may. */
export function withRightsOf(hub: Hub, caller: Caller & { network_id?: string }): Hub {
  const write: Hub['store']['write'] = (work) =>
    hub.store.write(async (tx) => {
      if (!isCurrent(tx, caller)) await assertStillMay(tx, caller);
      return work(tx);
    });
  return { ...hub, store: { ...hub.store, write } };
}

function isCurrent(tx: Transaction, { access_version }: Caller): boolean {
  return access_version === undefined || access_version === tx.accessVersion();
}

async function assertStillMay(tx: Transaction, caller: Caller & { network_id?: string }): Promise<void> {
  if (!(await tokens.isKnown(tx, caller.token_id))) throw unauthorized('the token was just revoked');
  if (caller.network_id === undefined) return;
  const role = await members.findRole(tx, caller.network_id, caller.user_id);
  if (role === undefined) throw caller.token_kind === 'network' ? unauthorized('the token is of somebody who just left its network') : notAMember();
  assertMayWrite(role);
}

/** Calls `end` when the caller's right is revoked, at once if anything changed since the caller was read. */
export function watchRights(hub: Hub, caller: Caller, end: () => void): () => void {
  const stop = hub.revocations.watch(caller, end);
  if (caller.access_version !== undefined && caller.access_version !== hub.store.accessVersion()) end();
  return stop;
}
