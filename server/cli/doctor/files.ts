// Checks the owners and permissions of the data directory and its files.
import { accessSync, constants, existsSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { FILE } from '../../config/file.ts';
import { BACKUPS, DATABASE, LOCK, ON_POSTGRES, SOCKET } from '../../domain/files/data-files.ts';
import { type Finding, fail, ok, warn } from '../../domain/health/finding.ts';
import {
  filesIn,
  isWritableByOthers,
  mayUse,
  nearestExisting,
  strangerOf,
  unusable,
} from '../../serve/private-directory.ts';
import { checkHoldsFiles, missingDirectory } from './data-directory.ts';

const CHECK = 'permissions';
const OTHERS = 0o077;

/** Failures if there can be no data directory at this path. */
export function checkStart(data: string): Finding[] {
  const without = checkHoldsFiles(data);
  if (without !== undefined) return [without];
  if (!existsSync(data)) return checkFuture(data);
  return statSync(data).isDirectory() ? [] : [fail(CHECK, `${data} is not a directory`, 'choose another with --data')];
}

export function checkFiles(data: string): Finding[] {
  const impossible = checkStart(data);
  if (!existsSync(data)) return [missingDirectory(data), ...impossible];
  if (impossible.length > 0) return impossible;
  const directory = statSync(data);
  const found = [
    ...checkOwner(data),
    ...checkAccess(data),
    ...filesIn(data)
      .filter((file) => !mayUse(file))
      .map((file) => fail(CHECK, unusable(file), `chmod 600 ${file}, and chown --reference=${data} ${file}`)),
    ...checkPrivacy(data, directory),
    ...checkModes(data),
    ...checkOwners(data, directory),
  ];
  return found.length > 0 ? found : [ok(CHECK, `${data} is private, and this user can write to it`)];
}

/** The first start creates the directory in the nearest existing parent. */
function checkFuture(data: string): Finding[] {
  const parent = nearestExisting(data);
  if (!statSync(parent).isDirectory())
    return [fail(CHECK, `${data} cannot be created, because ${parent} is a file`, 'choose another with --data')];
  if (mayWrite(parent)) return [];
  return [
    fail(
      CHECK,
      `this user cannot create ${data}`,
      `create ${data} as the owner of ${parent} and chown it, or choose another directory with --data`,
    ),
  ];
}

function checkOwner(data: string): Finding[] {
  const stranger = strangerOf(data);
  return stranger === undefined
    ? []
    : [
        fail(
          CHECK,
          `${data} belongs to another user (uid ${stranger})`,
          'run as that user, or choose another directory with --data',
        ),
      ];
}

function checkAccess(data: string): Finding[] {
  if (mayWrite(data)) return [];
  return [
    fail(CHECK, `this user cannot write to ${data}`, 'run as the user who owns it, or choose another with --data'),
  ];
}

function mayWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function checkPrivacy(data: string, directory: Stats): Finding[] {
  if (process.platform === 'win32') return [];
  if (isWritableByOthers(data))
    return [warn(CHECK, `other users can write to ${data} and replace the database`, `chmod 700 ${data}`)];
  if ((directory.mode & OTHERS) !== 0) return [warn(CHECK, `other users can read ${data}`, `chmod 700 ${data}`)];
  return [];
}

function checkModes(data: string): Finding[] {
  return filesIn(data)
    .filter(isWritableByOthers)
    .map((file) => warn(CHECK, `other users can write to ${file}`, `chmod 600 ${file}`));
}

// A service cannot write files that root owns in its data directory. The socket belongs to the user who runs the hub.
function checkOwners(data: string, directory: Stats): Finding[] {
  const written = namesIn(data).filter((name) => name !== FILE && name !== SOCKET);
  const strangers = written.filter((name) => lstatSync(join(data, name)).uid !== directory.uid);
  if (strangers.length === 0) return [];
  const database = join(data, DATABASE);
  if (strangers.length === written.length && strangers.includes(DATABASE) && directory.uid === 0)
    return [
      fail(
        CHECK,
        `root owns ${data}, but not the files in it`,
        `chown --reference=${database} ${data}, so that their owner can use it`,
      ),
    ];
  const own = strangers.filter((name) => isOwnFile(name));
  const others = strangers.filter((name) => !isOwnFile(name));
  const says = (names: readonly string[]) => `the owner of ${data} does not own ${names.join(', ')} in it`;
  const remedy = `chown -R --reference=${data} ${data}`;
  return [
    ...(own.length === 0 ? [] : [fail(CHECK, says(own), remedy)]),
    ...(others.length === 0 ? [] : [warn(CHECK, says(others), 'the hub does not use such files; move them elsewhere')]),
  ];
}

function isOwnFile(name: string): boolean {
  return name.startsWith(DATABASE) || [LOCK, ON_POSTGRES, BACKUPS].includes(name);
}

function namesIn(data: string): string[] {
  try {
    return readdirSync(data);
  } catch {
    return [];
  }
}
