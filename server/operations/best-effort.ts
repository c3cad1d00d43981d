// Best-effort writes that accompany a read: if the hub can store nothing, the write fails and the read still succeeds.
import { isStoringNothing } from '../domain/health/troubles.ts';

/** Waits for a best-effort write and ignores that nothing can be stored. All other errors are thrown. */
export async function bestEffort(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isStoringNothing(error)) throw error;
  }
}
