// Files of other users. The command that makes a file in the data directory private: the hub runs as the owner of the
// directory and could not read a private file of another user, such as one that root wrote. And links in the directory
// of another user, through which that user could have root read, create or replace any file.
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function makePrivate(file: string): string {
  const [directory, found]: (Stats | undefined)[] = [dirname(file), file].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  const owner =
    directory?.uid === found?.uid || directory === undefined ? [] : [`chown ${nameOf(directory.uid)} ${file}`];
  return [...owner, `chmod 600 ${file}`].join(' && ');
}

/** The problem of the first of these files that is a link which root does not follow. */
export function untrustedLink(directory: string, files: readonly string[]): string | undefined {
  if (!isOfAnotherUser(directory)) return undefined;
  const link = files.find((file) => lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink());
  return (
    link &&
    `${link} is a symbolic link in the directory of another user, which root does not follow; run as that user, or remove it`
  );
}

/** Root runs this in the directory of another user. */
export function isOfAnotherUser(directory: string): boolean {
  if (process.getuid?.() !== 0) return false;
  const found = statSync(directory, { throwIfNoEntry: false });
  return found !== undefined && found.uid !== 0;
}

function nameOf(uid: number): string {
  return rowsOf('/etc/passwd').find((row) => Number(row[2]) === uid)?.[0] ?? String(uid);
}

/** The rows of /etc/passwd or /etc/group. */
export function rowsOf(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return []; // a container may have none
  }
}
