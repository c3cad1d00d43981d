// Best-effort writes that accompany a read: if the disk is full, the write fails and the read still succeeds.
import { HubError } from '../domain/errors.ts';

/** Waits for a best-effort write and ignores a full disk. All other errors are thrown. */
export async function bestEffort(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isStorageFull(error)) throw error;
  }
}

function isStorageFull(error: unknown): boolean {
  return error instanceof HubError && error.code === 'storage_full';
}
