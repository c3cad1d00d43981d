// The command that makes a file in the data directory private. The hub runs as the owner of the directory and could not
// read a private file of another user, such as one that root wrote.
import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

export function makePrivate(file: string): string {
  const [directory, found]: (Stats | undefined)[] = [dirname(file), file].map((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  const owner =
    directory?.uid === found?.uid || directory === undefined ? [] : [`chown ${nameOf(directory.uid)} ${file}`];
  return [...owner, `chmod 600 ${file}`].join(' && ');
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
