// The only access to the database: `read` and `write`. Every write passes through the write queue, in groups that share
// one transaction and one fsync. A write resolves, and its events are published, only after the commit.
import type { Gossip, StreamEvent } from '../../domain/events.ts';
import type { Log } from '../../domain/log.ts';
import type { Stage } from '../../domain/message.ts';
import type { Recipient } from '../../domain/recipient.ts';
import type { Clock, Millis } from '../../domain/time/clock.ts';
import type { LowCounter } from '../counts/counters.ts';
import type { Cluster, ClusterSelf } from './cluster.ts';
import type { DiskSpace } from './libsql/disk-space.ts';
import type { Reader, Transaction } from './transaction.ts';
import type { Party } from './usage.ts';

/**
 * On whose behalf a call runs. If many wait, they are served fairly (usage.ts). A write runs after the overdue changes
 * of its networks are written.
 */
export type Scope = Party & {
  networks: readonly string[];
  /**
   * What a write concerns, such as an inbox. Writes that have nothing in common may run at the same time; one that does
   * not say what it concerns runs alone.
   */
  concerns?: readonly string[] | undefined;
  /** A read waits until its result has room, and fails with `client_left` if it has not started by then. Writes run. */
  recipient?: Recipient | undefined;
  /** A write that revokes access. It finds room on a full disk; see libsql/reserve.ts. */
  revokesAccess?: true | undefined;
};

export type Database = {
  /** The key of the public ids, 32 hexadecimal characters. It never changes during the life of the database. */
  idKey: string;
  /** Increases with every change of access rights, before the write resolves. */
  accessVersion(): number;
  /** Everything `work` reads comes from one snapshot of committed data. Does not run once the caller has left. */
  read<T>(work: (reader: Reader) => Promise<T>, scope?: Scope): Promise<T>;
  /**
   * `work` must await only the transaction. It may share a commit with other writes but fails alone: if another fails,
   * it may be rolled back and run again, so changes in memory need `afterCommit` or `onRollback`.
   */
  write<T>(work: (tx: Transaction) => Promise<T>, scope?: Scope): Promise<T>;
  /** Bytes of the database file, and of its log, which holds what is not yet in the file. */
  sizes(): { database: number; log: number };
  /** The space on the disk of the file; undefined where the file system does not report it. */
  disk(): DiskSpace | undefined;
  /**
   * Whether writes find no space on the disk. Call at most once a second: after a write has failed, it writes to the
   * disk.
   */
  isFull(): boolean;
  /** Whether this hub runs the sweeps, which one of several hubs on a database does. */
  isLeader(): boolean;
  /** Undefined on a file, which belongs to one hub. */
  cluster: Cluster | undefined;
  /** Tells other hubs on the database that all heartbeats until this moment are stored. */
  heartbeatsStored(until: Millis): void;
  /** Tells the other hubs on the database, perhaps never. What is not urgent may wait some 20 ms longer. */
  tell(gossip: Gossip, isUrgent: boolean): void;
  /** Whether the file that is open no longer has its name, since it was deleted or replaced. */
  isGone(): boolean;
  /** The calls that wait or run, and for how long the oldest has, or another program has locked the database. */
  queues(): { writes: QueueState; reads: QueueState };
  /**
   * Waits for queued calls, moves the log into the database file and closes it. If the disk is full, the log keeps what
   * is not in the file yet, and the next start reads it there: `onLogLeft` is then called, and without it, this rejects.
   */
  close(onLogLeft?: () => void): Promise<void>;
};

export type QueueState = { count: number; ageMs: number };

export type Shared = {
  /** The time of the database server. */
  now: Millis;
  /** Until when all other hubs have stored their heartbeats; Infinity without others. */
  othersStoredUntil: Millis;
};

export type DatabaseOptions = {
  /** The name of a file, or the URL of a PostgreSQL database. */
  database: string;
  /** A clock that never runs backwards. */
  clock: Clock;
  /** Undefined for a command, which other hubs do not list. */
  self?: ClusterSelf | undefined;
  /** Milliseconds of a monotonic clock, which limits groups of reads and writes. */
  elapsed?: () => number;
  /**
   * Runs at the start of every group of writes, for their networks. Writes of the networks it returns wait for a later
   * group.
   */
  before?: Before;
  /** Gets a line if a database server holds up the start. */
  log?: Pick<Log, 'info' | 'warn'> | undefined;
  publish: (events: readonly StreamEvent[]) => void;
  /** Whether anybody may receive this event: the texts of those that other hubs commit are read only then. */
  isHeard?: (event: Pick<StreamEvent, 'network_id' | 'alias' | 'name'>) => boolean;
  meter?: Meter;
  /** The number of pages in the log at which a checkpoint starts. */
  maxLogPages?: number;
  /**
   * Called with an error before or after the writes of a group, such as in a commit hook; the writes are not affected.
   */
  onError: (error: unknown) => void;
  /** Called several times a second where several hubs share the database. */
  onShared?: (shared: Shared) => void;
  /** Called with what another hub has told. */
  onGossip?: (gossip: readonly Gossip[]) => void;
  /** Called once when an operator has asked this hub to stop. */
  onDrain?: () => void;
  /** Called when the database has not been heard for several seconds, so that events and revocations were missed. */
  onDeaf?: () => void;
  /** Called when another hub has changed who may do what. */
  onForeignRights?: () => void;
  /** Called once for each kind of counter found to be too low. */
  onLowCounter?: (low: LowCounter) => void;
  /**
   * Called when the hub can no longer guarantee its data (a failed commit, a busy or damaged file); the process must
   * end.
   */
  onFatal: (error: unknown) => void;
};

export type Before = (tx: Transaction, networks: readonly string[]) => Promise<ReadonlySet<string>>;

/** Counts what each successful commit did. */
export type Meter = {
  committed(jobs: number, seconds: number): void;
  /** A write failed after a change, so its whole group ran twice. */
  repeated(): void;
  delivered(stage: Stage, deliveries: number): void;
};

/** Reads and writes on behalf of one scope. */
export type ScopedStore = {
  scope: Scope;
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  write<T>(work: (tx: Transaction) => Promise<T>, concerns?: readonly string[]): Promise<T>;
  /** Whether a database server holds up all writes. */
  isHeldUp(): boolean;
};

type Unscoped = Pick<Database, 'read' | 'write' | 'cluster'>;

export function scoped({ read, write, cluster }: Unscoped, scope: Scope = NO_TENANT): ScopedStore {
  return {
    scope,
    isHeldUp: () => cluster?.holdsUpWrites() ?? false,
    read: (work) => read(work, scope),
    write: (work, concerns) => write(work, concerns === undefined ? scope : { ...scope, concerns }),
  };
}

export const NO_TENANT: Scope = { tenant: '', networks: [] };

/** For writes of an operator that revoke access. */
export const REVOKES_ACCESS: Scope = { ...NO_TENANT, revokesAccess: true };
