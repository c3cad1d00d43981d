// Changes to members, invites, tokens and users, as announced on the event stream, so that the page that shows them
// reloads them.
import type { ChangeData } from '../../server/domain/changes.ts';

/** Undefined after a gap in the stream, when anything may have changed. */
export type Announced = ChangeData | undefined;

const listeners = new Set<(change: Announced) => void>();

/** Calls back on every change until the returned function is called. */
export function onChange(listener: (change: Announced) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function emitChange(change: Announced): void {
  for (const listener of listeners) listener(change);
}
