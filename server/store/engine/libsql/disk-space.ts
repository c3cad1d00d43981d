// The space on the disk of the database: how much is free, and whether writes find room. Some limits, such as a quota
// of the user, do not show in the free space, so after a failed write only another write proves that there is room.
import { closeSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { MEBIBYTE } from '../../../domain/limits.ts';

/** Undefined where the file system does not report it. */
export type DiskSpace = { free: number; size: number };

export function diskSpaceOf(databaseFile: string): DiskSpace | undefined {
  try {
    const { bavail, bsize, blocks } = statfsSync(dirname(databaseFile));
    return blocks === 0 ? undefined : { free: bavail * bsize, size: blocks * bsize };
  } catch {
    return undefined;
  }
}

const PAGE = 4_096;
const NO_SPACE = new Set(['ENOSPC', 'EDQUOT']);
const FILE_TOO_LARGE = 'EFBIG';

/** Whether the disk, or the quota of its user, is used up. */
export function isOutOfSpace(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_SPACE.has(String(error.code));
}

/** Tries to write this many pages to a file next to the database, at the offset where its log now ends. */
export function hasRoomFor(pages: number, databaseFile: string): boolean {
  const probe = `${databaseFile}-probe`;
  try {
    createFile(probe, Buffer.alloc(pages * PAGE), statSync(`${databaseFile}-wal`).size);
    return true;
  } catch (error) {
    const isTooLarge = error instanceof Error && 'code' in error && error.code === FILE_TOO_LARGE;
    return !isTooLarge && !isOutOfSpace(error);
  } finally {
    rmSync(probe, { force: true });
  }
}

/** Replaces what is at this path, without following a link. Leaves nothing behind if the disk has no room for it. */
export function createFile(file: string, bytes: Buffer, at = 0): void {
  rmSync(file, { force: true });
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length; )
      done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}

/** Less free space than this is a full disk: the next writes would fail. */
const FULL_BYTES = MEBIBYTE;
const PAGES_OF_SOME_COMMITS = 64;

export type Fullness = {
  /** A write failed because there was no room. */
  writeFailed(): void;
  /** Call at most once a second: after a failed write, it writes to the disk. */
  isFull(space: DiskSpace | undefined): boolean;
};

export function watchFullness(databaseFile: string): Fullness {
  let hasFailed = false;
  return {
    writeFailed: () => void (hasFailed = true),
    isFull: (space) => {
      if (space !== undefined && space.free < FULL_BYTES) return true;
      hasFailed &&= !hasRoomFor(PAGES_OF_SOME_COMMITS, databaseFile);
      return hasFailed;
    },
  };
}
