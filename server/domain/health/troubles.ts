// The kinds of trouble that a hub notices by itself: their codes, what they mean, and whether the hub should get no
// requests meanwhile. The log, `/health/ready`, the metrics and the diagnostics name them by these codes.
import { HubError, TryLater } from '../errors.ts';

type Kind = {
  /** Whether `/health/ready` then returns 503, with the code of this kind as its error. */
  isUnready: boolean;
  level: 'info' | 'warn' | 'error';
  message: string;
};

export const TROUBLES = {
  stopping: { isUnready: true, level: 'info', message: 'the hub is stopping' },
  storage_full: {
    isUnready: true,
    level: 'error',
    message: 'the disk of the data directory is full: writes are refused until there is space',
  },
  writes_stalled: {
    isUnready: true,
    level: 'error',
    message: 'writes to the database have been waiting for over 10 seconds; check its disk, and who has locked it',
  },
  // Another hub could not write either, and reads are still served.
  database_stalled: {
    isUnready: false,
    level: 'error',
    message:
      'the database server has held up all writes for over 10 seconds; check its synchronous standby, its disk, and its locks; reads are served',
  },
  // The probe of readiness reads, and shows itself whether requests can be served.
  database_lost: {
    isUnready: false,
    level: 'error',
    message: 'the database server does not respond: see agenthub doctor; the hub continues when it does',
  },
  descriptors_low: {
    isUnready: true,
    level: 'error',
    message: 'file descriptors are nearly used up; raise LimitNOFILE or ulimit -n',
  },
  database_gone: {
    isUnready: true,
    level: 'error',
    message:
      'the database file was deleted or replaced while the hub runs: writes are refused, and all data is lost when it stops; first see "When something is wrong" in OPERATING.md',
  },
  disk_low: {
    isUnready: false,
    level: 'warn',
    message: 'the disk of the data directory has little space left; free up space before writes fail',
  },
  backup_failed: {
    isUnready: false,
    level: 'warn',
    message: 'the last scheduled backup failed; the log shows why, and the hub tries again',
  },
  event_loop_stalled: {
    isUnready: false,
    level: 'warn',
    message: 'the hub did nothing for over half a second; check the CPU and memory of the machine',
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type TroubleKind = keyof typeof TROUBLES;

// Object.keys forgets the type of a literal's keys.
export const TROUBLE_KINDS = Object.keys(TROUBLES) as readonly TroubleKind[];

/** Whether `/health/ready` returns this code. */
export function isUnready(code: string): boolean {
  return TROUBLE_KINDS.some((kind) => kind === code && TROUBLES[kind].isUnready);
}

const RETRY_SECONDS = 5;

/** The error of the readiness probe. */
export function notReady(kind: TroubleKind): TryLater {
  return new TryLater(kind, TROUBLES[kind].message, RETRY_SECONDS);
}

/** Whether the hub can store nothing, which it reports itself. */
export function isStoringNothing(error: unknown): boolean {
  return error instanceof HubError && (error.code === 'storage_full' || error.code === 'database_gone');
}
