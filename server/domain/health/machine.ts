// What a hub can ask about the process and the machine that it runs on. The hub of a test has none of it.
import type { Millis } from '../time/clock.ts';

/** A file in the directory of backups. */
export type BackupFile = { at: Millis; bytes: number; file: string };
/** Why no backup can be found or created there. */
export type BackupFault = 'unreadable' | 'no directory';

export function isBackupFile(found: BackupFile | BackupFault | undefined): found is BackupFile {
  return typeof found === 'object';
}

export type Machine = {
  /** The open file descriptors and their limit; undefined where they are unknown. */
  descriptors(): { open: number; max: number } | undefined;
  /** The configuration that the hub was started with, by key; null for an unset key, and without secrets. */
  configuration: Readonly<Record<string, unknown>>;
  /** The path of the data directory; undefined if the hub has none. */
  dataDirectory: string | undefined;
  /** The newest file in `backups/`. */
  newestBackup(): BackupFile | BackupFault | undefined;
  /** When the database file was created; undefined where this is unknown. */
  databaseSince(): Millis | undefined;
  /** When the certificate that the hub serves expires; undefined without TLS. */
  certificateEnd(): Millis | undefined;
  /** Whether the file of this program was replaced since the start: the hub still runs the old one. */
  isProgramReplaced(): boolean;
  /** The latest lines of the log, oldest first. They contain no secrets. */
  recentLog(): readonly string[];
};

export const NO_MACHINE: Machine = {
  descriptors: () => undefined,
  configuration: {},
  dataDirectory: undefined,
  newestBackup: () => undefined,
  databaseSince: () => undefined,
  certificateEnd: () => undefined,
  isProgramReplaced: () => false,
  recentLog: () => [],
};
