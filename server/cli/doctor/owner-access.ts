// Root can read every file. When it checks a hub of another user, such as a service, this checks whether that user, the
// owner of the data directory, can read agenthub.json, the certificate and its key.
import { type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILE } from '../../config/file.ts';
import type { Config } from '../../config/keys.ts';
import { makePrivate, rowsOf } from '../../config/own-file.ts';

type Account = { uid: number; groups: ReadonlySet<number> };

export type Unreadable = { says: string; remedy: string };

/** Each file that the owner of the data directory cannot read. Empty unless root runs this. */
export function unreadableByOwner(
  data: string,
  { tls_cert, tls_key }: Partial<Pick<Config, 'tls_cert' | 'tls_key'>>,
): Unreadable[] {
  const owner = otherOwnerOf(data);
  if (owner === undefined) return [];
  const says = `which the owner of ${data} (uid ${owner.uid}) cannot read, so the hub of that user does not start`;
  return Object.entries({ tls_cert, tls_key }).flatMap(([key, file]) =>
    file === undefined || mayRead(owner, file)
      ? []
      : [{ says: `${key} names ${file}, ${says}`, remedy: LET_OWNER_READ }],
  );
}

const LET_OWNER_READ = 'give that user, or one of its groups, the right to read it and to enter its directories';

/** The same for agenthub.json, without which the hub does not start. It may contain secrets. */
export function unreadableConfiguration(data: string): Unreadable[] {
  const owner = otherOwnerOf(data);
  const file = join(data, FILE);
  if (owner === undefined || mayRead(owner, file)) return [];
  return [
    {
      says: `${file} cannot be read by the owner of ${data} (uid ${owner.uid}), so the hub of that user does not start`,
      remedy: makePrivate(file),
    },
  ];
}

function otherOwnerOf(data: string): Account | undefined {
  const directory = statSync(data, { throwIfNoEntry: false });
  if (process.getuid?.() !== 0 || directory === undefined || directory.uid === 0) return undefined;
  return accountOf(directory);
}

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
