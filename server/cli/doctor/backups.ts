// Checks that the data directory has a recent backup and that scheduled backups are not overdue.
import type { Config } from '../../config/keys.ts';
import type { Finding } from '../../domain/health/finding.ts';
import { backupsFinding } from '../../domain/health/findings.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { newestBackup } from '../../serve/scheduled-backup.ts';

export function checkBackups({ data, backup_schedule }: Pick<Config, 'data' | 'backup_schedule'>): Finding {
  return backupsFinding(newestBackup(data), backup_schedule, systemClock.now());
}
