// Reports to an open stream the changes that its caller may see. Losing a right ends the stream; a right gained after
// it was opened, such as a new membership, is looked up when a change requires it.
import type { Caller } from '../../domain/accounts/caller.ts';
import { type Change, mayLearn } from '../../domain/changes.ts';
import type { Hub } from '../../hub.ts';
import { identifyHash } from '../tokens/identify.ts';
import { isStale } from './watch-access.ts';

/** Nothing is reported to a network token, which cannot list what changes. Returns a function that stops watching. */
export function watchChanges(hub: Hub, caller: Caller, onChange: (change: Change) => void): () => void {
  if (caller.token_kind !== 'user') return () => {};
  let isOver = false;
  const stop = hub.changes.watch((change) => {
    // The most frequent change, and mostly of other users' tokens.
    if (change.what === 'tokens' && !mayLearn(change, caller)) return;
    mayLearnNow(hub, caller, change).then(
      (may) => may && !isOver && onChange(change),
      (error: unknown) => hub.log.error({ err: error }, 'a change could not be announced'),
    );
  });
  return () => {
    isOver = true;
    stop();
  };
}

async function mayLearnNow(hub: Hub, caller: Caller, change: Change): Promise<boolean> {
  if (mayLearn(change, caller)) return true;
  if (!('network_id' in change) || caller.token_hash === undefined || !isStale(hub, caller)) return false;
  const now = await identifyHash(hub, caller.token_hash, caller.ip);
  return now !== undefined && mayLearn(change, now);
}
