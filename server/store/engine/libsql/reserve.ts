// Space on the disk that is kept for writes that revoke access: a full disk must not preserve the access of the
// user who filled it. It is a file next to the database. The first such write that finds the disk full deletes it and
// uses its space. Until it can be created again, no other write runs, since it would use up what is left.
import { randomFillSync } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { MEBIBYTE } from '../../../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../../../domain/time/time.ts';
import { giveToOwnerOf } from '../../file/on-disk.ts';
import { createFile, isOutOfSpace } from './disk-space.ts';

/** A story revokes thirty tokens and disables a user on a full disk, each in a separate commit. */
const RESERVE_BYTES = 2 * MEBIBYTE;
const BLOCK = 512; // the unit of `blocks`, on every file system

export type Reserve = {
  /** Whether the space is kept, after an attempt to take it back if it is not. */
  isKept(): boolean;
  /** Frees the space. Returns false if none was kept. */
  release(): boolean;
};

export function openReserve(databaseFile: string, elapsed: () => number): Reserve {
  const file = `${databaseFile}-reserve`;
  let isKept = isWhole(file) || create(file);
  let triedAt = elapsed();
  return {
    isKept: () => {
      if (elapsed() - triedAt < (isKept ? MINUTE_MS : SECOND_MS)) return isKept;
      triedAt = elapsed();
      isKept = isWhole(file) || create(file); // somebody may have deleted it
      return isKept;
    },
    release: () => {
      if (!isWhole(file)) return false;
      rmSync(file, { force: true });
      isKept = false;
      triedAt = elapsed();
      return true;
    },
  };
}

/** Returns false if there is no room for it. Where it cannot be created for another reason, there is no reserve. */
function create(file: string): boolean {
  try {
    // Random, since some file systems store zeros without using space.
    createFile(file, randomFillSync(Buffer.alloc(RESERVE_BYTES)));
    giveToOwnerOf(dirname(file), file);
    return true;
  } catch (error) {
    return !isOutOfSpace(error);
  }
}

function isWhole(file: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found?.isFile() === true && found.blocks * BLOCK >= RESERVE_BYTES;
}
