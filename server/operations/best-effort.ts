// Best-effort writes that accompany a read. On a full disk the write fails, and reads go on.
import { HubError } from '../domain/errors.ts';

/** Waits for such a write; one that finds no space is left out. */
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
