// Backups of the files that `connect` changes. They may contain tokens, so all are in one private directory of the user
// and not next to the file, where version control would see them.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../domain/time/clock.ts';
import { connectBackupsDirectory } from '../client/access/connection-records.ts';

/** File systems allow 255 bytes; the time and a number need some of them. */
const MAX_PATH_BYTES = 200;

/** Writes the content to a new backup, and returns its path. */
export function writeBackup(file: string, content: Buffer): string {
  const directory = connectBackupsDirectory();
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  const backup = unusedName(join(directory, backupName(file)));
  writeFileSync(backup, content, { mode: 0o600, flag: 'wx' });
  return backup;
}

/** The time and the path: `2026-11-26T09-44-09-123Z-home-ada-parser-.mcp.json`. */
function backupName(file: string): string {
  let path = file.replace(/[/\\:]+/g, '-');
  while (Buffer.byteLength(path) > MAX_PATH_BYTES) path = path.slice(1);
  return `${new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-')}${path.startsWith('-') ? '' : '-'}${path}`;
}

function unusedName(start: string): string {
  if (!existsSync(start)) return start;
  let number = 2;
  while (existsSync(`${start}-${number}`)) number++;
  return `${start}-${number}`;
}
