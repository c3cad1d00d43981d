// The checks of a hub that need only facts about it, shared by `agenthub doctor` and the diagnostics of a running hub.
import { isPublishedUnencrypted, isUnencrypted, type Reachability, type Transport } from '../addresses.ts';
import { lastDue, readSchedule } from '../files/backup.ts';
import { DISK_LOW_BYTES, MEBIBYTE } from '../limits.ts';
import type { Millis } from '../time/clock.ts';
import { DAY_MS, HOUR_MS, roughDifference, roughDuration, timestamp } from '../time/time.ts';
import { type Finding, fail, ok, warn } from './finding.ts';
import type { BackupFault, BackupFile } from './machine.ts';

const GIBIBYTE = 1024 * MEBIBYTE;
const ENOUGH_FILES = 4_096;

/** Bytes. A backup needs as much space as the database, which may be elsewhere. */
export function diskFinding({ free, database }: { free: number; database?: number | undefined }): Finding {
  const says = `${sized(free)} free${database === undefined ? '' : `, ${sized(database)} used by the database`}`;
  if (free < DISK_LOW_BYTES) return fail('disk', says, 'free up space: writes fail when the disk is full');
  return free < Math.max(GIBIBYTE, 2 * (database ?? 0))
    ? warn('disk', says, 'free up space: a backup needs as much space as the database')
    : ok('disk', says);
}

export function sized(bytes: number): string {
  return bytes < GIBIBYTE ? `${Math.ceil(bytes / MEBIBYTE)} MiB` : `${(bytes / GIBIBYTE).toFixed(1)} GiB`;
}

/** `open` is unknown for a hub that does not run. */
export function filesFinding({ open, max }: { open?: number; max: number }): Finding {
  const says = open === undefined ? `limit ${max} in this shell` : `${open} of ${max} in use by the hub`;
  return max < ENOUGH_FILES
    ? warn(
        'open files',
        says,
        'LimitNOFILE=65536 in the unit, --ulimit nofile=65536 of the container, or ulimit -n 65536: each stream uses one',
      )
    : ok('open files', says);
}

/** `others` are the hubs on the same database whose settings differ. */
export function settingsFindings(
  others: readonly [hubName: string, differences: readonly { key: string; here: string; there: string }[]][],
): Finding[] {
  const remedy = 'requests reach any of the hubs, so give all of them the same settings';
  return others.map(([hubName, found]) => {
    const values = found.map(({ key, here, there }) => `${key} ${there} where this one has ${here}`);
    return warn('settings', `the hub ${hubName} has ${values.join(', ')}`, remedy);
  });
}

const OLD_MS = 7 * DAY_MS;

/** `since` is when the database was created: a new one has had no time for a backup. */
export function backupsFinding(
  backup: Pick<BackupFile, 'at'> | BackupFault | undefined,
  backupSchedule: string,
  now: Millis,
  since: Millis | undefined,
): Finding {
  if (backup === 'unreadable')
    return fail('backups', 'this user cannot read the directory backups', 'chown it to the user the hub runs as');
  if (backup === 'no directory')
    return fail('backups', 'backups is a file, or a link without a target', 'remove it, or create its target');
  const newest = backup?.at;
  const says = newest === undefined ? 'there is no backup' : `the newest backup is ${roughDuration(now - newest)} old`;
  const schedule = readSchedule(backupSchedule) ?? 'off';
  if (schedule === 'off') {
    return now - (newest ?? 0) < OLD_MS
      ? ok('backups', `${says}; backups are not scheduled`)
      : warn(
          'backups',
          `${says}, and backups are not scheduled`,
          'set backup_schedule to a time such as 03:30, or run agenthub backup',
        );
  }
  const due = lastDue(schedule, now);
  const before = lastDue(schedule, due - 1);
  const isLate = (newest ?? since ?? 0) < (now - due > HOUR_MS ? due : before);
  return isLate
    ? warn(
        'backups',
        `${says}; a scheduled backup is overdue`,
        'keep the hub running, and check its log for failed backups',
      )
    : ok('backups', `${says}; scheduled (${backupSchedule})`);
}

const UNENCRYPTED = 'passwords and tokens cross the network unencrypted: others can reach this hub over plain HTTP';
const ENCRYPT =
  'set tls_cert and tls_key, or listen on 127.0.0.1 behind a reverse proxy that serves https, with trust_proxy; require_tls refuses to start without';

const PUBLISHED = 'passwords and tokens cross the network unencrypted: public_url begins with http';
const PUBLISH_HTTPS = 'serve https and set public_url to the https address; require_tls refuses to start without';

/** One at most: a hub that others reach over plain HTTP usually has such a public_url, too. */
export function transportFindings(settings: Transport & Pick<Reachability, 'public_url'>): Finding[] {
  if (isUnencrypted(settings)) return [warn('transport', UNENCRYPTED, ENCRYPT)];
  return isPublishedUnencrypted(settings) ? [warn('transport', PUBLISHED, PUBLISH_HTTPS)] : [];
}

/** `behind` is how far the clock of the machine is behind the newest record. */
export function clockBehindFinding(behind: Millis): Finding {
  return fail(
    'clock',
    `it is ${roughDifference(behind)} behind the newest record`,
    'if the clock is wrong, set it and synchronize it with NTP; if it is right, it was ahead when the record was written: until it has caught up, new records have times in the future, and old ones are not deleted; wait, or restore a backup from before; see "When something is wrong" in OPERATING.md',
  );
}

const SOON_MS = 14 * DAY_MS;
const RENEW = 'renew it, then systemctl reload agenthub (or SIGHUP)';

/** `start` is known only of the certificate in the files. */
export function expiryFinding(end: Millis, now: Millis, start = 0): Finding {
  if (start > now) return fail('certificate', `it is not valid before ${timestamp(start)} UTC`, RENEW);
  const left = end - now;
  if (left <= 0) return fail('certificate', `it expired ${roughDuration(-left)} ago`, RENEW);
  const says = `valid for another ${roughDuration(left)}`;
  return left < SOON_MS ? warn('certificate', says, RENEW) : ok('certificate', says);
}
