// Root can read every file. When it checks a hub of another user, such as a service, this checks whether that user, the
// owner of the data directory, can read the certificate and its key.
import { readFileSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../../config/keys.ts';

type Account = { uid: number; groups: ReadonlySet<number> };

/** One line for each file that the owner of the data directory cannot read. Empty unless root runs this. */
export function unreadableByOwner({ data, tls_cert, tls_key }: Config): string[] {
  const directory = statSync(data, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || directory === undefined || directory.uid === 0) return [];
  const owner = accountOf(directory);
  return Object.entries({ tls_cert, tls_key }).flatMap(([key, file]) =>
    file === undefined || mayRead(owner, file)
      ? []
      : [`${key} names ${file}, which the owner of ${data} (uid ${owner.uid}) cannot read`],
  );
}

export const LET_OWNER_READ = 'give that user, or one of its groups, the right to read it and to enter its directories';

function mayRead(account: Account, file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return true; // reported where it is read
  return has(account, found, READ) && directoriesOf(file).every((path) => has(account, statSync(path), ENTER));
}

function directoriesOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...directoriesOf(parent)];
}

const READ = 4;
const ENTER = 1;

/** The mode of a file has three bits each for its owner, its group and others; the first that applies decides. */
function has({ uid, groups }: Account, { mode, uid: owner, gid }: Stats, bit: number): boolean {
  if (owner === uid) return (mode & (bit << 6)) !== 0;
  return (mode & (groups.has(gid) ? bit << 3 : bit)) !== 0;
}

function accountOf({ uid, gid }: Stats): Account {
  const [name, , , primary = gid] = rowsOf('/etc/passwd').find((row) => Number(row[2]) === uid) ?? [];
  const listed = rowsOf('/etc/group').filter(
    ([, , , members = '']) => name !== undefined && members.split(',').includes(name),
  );
  return { uid, groups: new Set([gid, Number(primary), ...listed.map((row) => Number(row[2]))]) };
}

function rowsOf(file: string): string[][] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return []; // a container may have none
  }
}
