// Checks that the data directory has a recent backup and that scheduled backups are not overdue.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config/keys.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import type { Finding } from '../../domain/health/finding.ts';
import { backupsFinding } from '../../domain/health/findings.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { databaseSince, newestBackup } from '../../serve/scheduled-backup.ts';

export function checkBackups({ data, backup_schedule }: Pick<Config, 'data' | 'backup_schedule'>): Finding {
  const now = systemClock.now();
  const since = existsSync(join(data, DATABASE)) ? databaseSince(data) : now; // no hub has run here
  return backupsFinding(newestBackup(data), backup_schedule, now, since);
}
