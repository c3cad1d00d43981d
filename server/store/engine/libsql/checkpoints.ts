// Checkpoints: a separate connection copies the log (WAL) into the database file on a thread of the driver while writes
// continue. The log can restart only after all of it is copied, so writes pause while the last few pages are copied.
// Measured: copying 16 MB takes 35 to 120 ms. When a commit did it on the event loop, the hub was unresponsive during
// that time. Long texts can fill megabytes meanwhile: these are copied before the pause as well.
import { statSync } from 'node:fs';
import Driver from 'libsql/promise';
import { isBusy, isFull } from './errors.ts';

export type Checkpoints = {
  /** Called after each commit with the length of the texts it wrote, in UTF-16 units. */
  committed(length: number): void;
  /** Called before each group of writes. Returns a promise if the writes must wait for the end of a checkpoint. */
  beforeWrites(): Promise<void> | undefined;
  /** Waits for a checkpoint that is running. */
  close(): Promise<void>;
};

type Options = {
  file: string;
  /** Settings of the connection. */
  recipe: Readonly<Record<string, string | number>>;
  /** The number of pages in the log at which a checkpoint starts. */
  maxPages: number;
  /** Whether the file was deleted or replaced. Opening its path would create another one and delete the log. */
  isGone: () => boolean;
  /** Called when a checkpoint fails although there is space and no other process blocks it; the process must end. */
  onFatal: (error: unknown) => void;
};

const CHECKPOINT = 'PRAGMA main.wal_checkpoint(PASSIVE)';
/**
 * Estimate until the first checkpoint has measured it: a commit of 64 sends writes about 50 pages, one of a single send
 * 5.
 */
const PAGES_PER_COMMIT = 64;
/** After a restart of the log its file may keep 64 MiB (journal_size_limit). A longer file is in use. */
const MAX_LOG_BYTES = 72 * 2 ** 20;
const COMMITS_PER_CHECK = 16;
/** Of long texts, in UTF-16 units: a unit takes one to three bytes. */
const UNITS_PER_PAGE = 4_096;
/** Texts written since the copy began, in UTF-16 units, that may be copied while writes pause. */
const MAX_TAIL = 500_000;
/** The copy is faster than the writes, so that each round has less to copy. */
const MAX_ROUNDS = 4;

export function openCheckpoints({ file, recipe, maxPages, isGone, onFatal }: Options): Checkpoints {
  let pagesPerCommit = PAGES_PER_COMMIT;
  let commits = 0; // since the log restarted
  let due = maxPages / pagesPerCommit; // in commits
  let length = 0; // of the texts written since the log restarted, or since a checkpoint was postponed
  let isTailLeft = false;
  let copier: Promise<Copier> | undefined; // opened for the first checkpoint
  let running: Promise<void> | undefined;

  const postpone = (): void => {
    due = commits + maxPages / 4 / pagesPerCommit;
    length = 0;
  };
  const finish = ({ log, isWhole }: Log): void => {
    pagesPerCommit = Math.max(1, log / Math.max(1, commits));
    if (!isWhole) return postpone(); // a reader still needs the rest
    commits = 0;
    length = 0;
    due = maxPages / pagesPerCommit;
  };
  const copyMost = async (): Promise<void> => {
    if (copier === undefined && isGone()) return postpone();
    const { copy, measureLog } = await (copier ??= openCopier(file, recipe));
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      const before = { commits, length };
      await copy();
      if (commits === before.commits) return finish(measureLog());
      if (length - before.length <= MAX_TAIL) break;
    }
    isTailLeft = true;
  };
  const copyTail = async (): Promise<void> => {
    const { copy, measureLog } = await (copier ??= openCopier(file, recipe));
    await copy();
    finish(measureLog());
  };
  const begin = (work: () => Promise<void>): Promise<void> => {
    const begun = work().catch((error: unknown) => {
      postpone();
      if (!isTemporary(error, file)) onFatal(error);
    });
    running = begun;
    void begun.then(() => {
      if (running === begun) running = undefined;
    });
    return begun;
  };
  const isDue = (): boolean =>
    commits >= due ||
    length >= maxPages * UNITS_PER_PAGE ||
    (commits % COMMITS_PER_CHECK === 0 && bytesOf(`${file}-wal`) > MAX_LOG_BYTES);

  return {
    committed: (written) => {
      commits += 1;
      length += written;
      if (running === undefined && !isTailLeft && isDue()) void begin(copyMost);
    },
    beforeWrites: () => {
      if (!isTailLeft) return undefined;
      isTailLeft = false;
      return begin(copyTail);
    },
    close: async () => {
      await running;
      (await copier?.catch(() => undefined))?.close(); // a failure to open it was fatal
    },
  };
}

/** The pages in the log, and whether all of them were copied. */
type Log = { log: number; isWhole: boolean };

type Copier = {
  /** Copies what has been committed so far, without blocking the event loop. */
  copy(): Promise<void>;
  /** Call only after everything is copied: the rest would be copied on the event loop. */
  measureLog(): Log;
  close(): void;
};

async function openCopier(file: string, recipe: Options['recipe']): Promise<Copier> {
  const driver = new Driver(file, {});
  for (const [name, value] of Object.entries(recipe)) await driver.exec(`PRAGMA ${name} = ${value}`);
  const checkpoint = await driver.prepare(CHECKPOINT);
  return {
    copy: () => driver.exec(CHECKPOINT),
    measureLog: () => {
      const { log, checkpointed }: { log: number; checkpointed: number } = checkpoint.get();
      return { log, isWhole: checkpointed === log };
    },
    close: () => driver.close(),
  };
}

function isTemporary(error: unknown, file: string): boolean {
  return isBusy(error) || isFull(error, file);
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
