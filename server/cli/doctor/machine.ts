// Checks the resources of the machine: free disk space for the data, and open files for connections.
import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import type { Finding } from '../../domain/health/finding.ts';
import { diskFinding, filesFinding } from '../../domain/health/findings.ts';
import { openFilesLimit } from '../../serve/machine/descriptors.ts';
import { nearestExisting } from '../../serve/private-directory.ts';

export function checkDisk(data: string): Finding {
  const { bavail, bsize } = statfsSync(nearestExisting(data));
  const file = join(data, DATABASE);
  return diskFinding({ free: bavail * bsize, database: statSync(file, { throwIfNoEntry: false })?.size });
}

/** The limits of a running hub are its own; without one, those of this process. Empty if they are unknown. */
export function checkOpenFiles(ofHub: { open: number; max: number } | null | undefined): Finding[] {
  if (ofHub !== undefined) return ofHub === null ? [] : [filesFinding(ofHub)];
  const max = openFilesLimit();
  return max === undefined ? [] : [filesFinding({ max })];
}
