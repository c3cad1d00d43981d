// Best-effort writes that accompany a read: if the hub can store nothing now, the read still succeeds, and shows the
// state from before the write.
import { HubError } from '../domain/errors.ts';
import { isStoringNothing } from '../domain/health/troubles.ts';
import { SECOND_MS } from '../domain/time/time.ts';
import type { ScopedStore } from '../store/engine/database.ts';

/** Writes take milliseconds. Another one may be waiting for the disk, or for the database server. */
const PATIENCE_MS = 2 * SECOND_MS;

/**
 * Waits for a best-effort write, but not for long and not while the database server holds up all writes: it may be
 * stored later. Ignores that nothing can be stored. All other errors are thrown.
 */
export async function bestEffort(
  { isHeldUp }: Pick<ScopedStore, 'isHeldUp'>,
  write: () => Promise<unknown>,
): Promise<void> {
  if (isHeldUp()) return;
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, PATIENCE_MS);
  try {
    await Promise.race([write(), patience.promise]);
  } catch (error) {
    if (!isStoringNothing(error) && !isUnavailable(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'unavailable';
}
