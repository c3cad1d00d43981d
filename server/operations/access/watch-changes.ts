// Reports to an open stream the changes that its caller may see. Losing a right ends the stream; a right gained after
// it was opened, such as a new membership, is looked up when a change requires it.
import type { Caller } from '../../domain/accounts/caller.ts';
import { type Change, mayLearn } from '../../domain/changes.ts';
import type { Hub } from '../../hub.ts';
import { identifyHash } from '../tokens/identify.ts';
import { isStale } from './watch-access.ts';

/** Nothing is reported to a network token, which cannot list what changes. Returns a function that stops watching. */
export function watchChanges(hub: Hub, opener: Caller, onChange: (change: Change) => void): () => void {
  if (opener.token_kind !== 'user') return () => {};
  let isOver = false;
  /** With the memberships gained since, as of the last time that one of them mattered. */
  let caller = opener;
  const lookUp = async (change: Change): Promise<void> => {
    const now = caller.token_hash && (await identifyHash(hub, caller.token_hash, caller.ip));
    if (!now || isOver) return;
    caller = now;
    if (mayLearn(change, caller)) onChange(change);
  };
  const stop = hub.changes.watch((change) => {
    if (mayLearn(change, opener)) return onChange(change);
    if (!('network_id' in change)) return;
    if (!isStale(hub, caller)) return void (mayLearn(change, caller) && onChange(change));
    lookUp(change).catch((error: unknown) => hub.log.error({ err: error }, 'a change could not be announced'));
  });
  return () => {
    isOver = true;
    stop();
  };
}
