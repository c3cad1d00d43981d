// Checkpoints: the pages of the log move into the database file on a thread of the driver, beside the writes. The log begins anew only
// when all of it has moved, and writes go on meanwhile; so at the end of a checkpoint they wait while the last few pages move.
// Measured: to move 16 MB takes 35 to 120 ms, during which nothing was answered when a commit did it on the event loop.
import { statSync } from 'node:fs';
import Driver from 'libsql/promise';
import { isBusy, isFailedWrite, isFull } from './errors.ts';
import { hasNoSpace } from './space.ts';

export type Checkpoints = {
  /** Called after each commit. */
  committed(): void;
  /** Called before each group of writes, which waits for the promise if there is one. */
  rest(): Promise<void> | undefined;
  /** Waits for a checkpoint that is running. */
  close(): Promise<void>;
};

type Options = {
  file: string;
  /** Settings of the connection. */
  recipe: Readonly<Record<string, string | number>>;
  /** The length of the log, in pages, from which it is moved. */
  maxPages: number;
  /** Called when a checkpoint failed although there was space and no other process was in the way; the process must end. */
  onFatal: (error: unknown) => void;
};

const CHECKPOINT = 'PRAGMA main.wal_checkpoint(PASSIVE)';
/** Assumed until the first checkpoint tells: what a group of 64 sends writes. One send alone writes 5. */
const PAGES_A_COMMIT = 64;
/** A log file that begins anew keeps 64 MiB (journal_size_limit), so what is longer is in use. */
const MAX_LOG_BYTES = 72 * 2 ** 20;
const COMMITS_A_LOOK = 16;

export function openCheckpoints({ file, recipe, maxPages, onFatal }: Options): Checkpoints {
  let pagesACommit = PAGES_A_COMMIT;
  let commits = 0; // since the log began
  let due = maxPages / pagesACommit; // in commits
  let isRestLeft = false;
  let mover: Promise<Mover> | undefined; // opened when there is something to move for the first time
  let running: Promise<void> | undefined;

  const putOff = (): void => void (due = commits + maxPages / 4 / pagesACommit);
  const finish = ({ log, isWhole }: Log): void => {
    pagesACommit = Math.max(1, log / Math.max(1, commits));
    if (!isWhole) return putOff(); // somebody still reads what the log says
    commits = 0;
    due = maxPages / pagesACommit;
  };
  const run = async (): Promise<void> => {
    const { move, measure } = await (mover ??= openMover(file, recipe));
    const before = commits;
    await move();
    if (commits === before) finish(measure());
    else isRestLeft = true;
  };
  const runRest = async (): Promise<void> => {
    const { move, measure } = await (mover ??= openMover(file, recipe));
    await move();
    finish(measure());
  };
  const begin = (work: () => Promise<void>): Promise<void> => {
    const begun = work().catch((error: unknown) => {
      putOff();
      if (!isPassing(error, file)) onFatal(error);
    });
    running = begun;
    void begun.then(() => {
      if (running === begun) running = undefined;
    });
    return begun;
  };
  const isDue = (): boolean => commits >= due || (commits % COMMITS_A_LOOK === 0 && bytesOf(`${file}-wal`) > MAX_LOG_BYTES);

  return {
    committed: () => {
      commits += 1;
      if (running === undefined && !isRestLeft && isDue()) void begin(run);
    },
    rest: () => {
      if (!isRestLeft) return undefined;
      isRestLeft = false;
      return begin(runRest);
    },
    close: async () => {
      await running;
      (await mover?.catch(() => undefined))?.close(); // one that failed to open was fatal
    },
  };
}

/** What the log held, in pages, and whether all of it has moved. */
type Log = { log: number; isWhole: boolean };

type Mover = {
  /** Moves what is committed so far, without holding the event loop. */
  move(): Promise<void>;
  /** To be called when nothing is left to move: it holds the event loop for what is. */
  measure(): Log;
  close(): void;
};

async function openMover(file: string, recipe: Options['recipe']): Promise<Mover> {
  const driver = new Driver(file, {});
  for (const [name, value] of Object.entries(recipe)) await driver.exec(`PRAGMA ${name} = ${value}`);
  const checkpoint = await driver.prepare(CHECKPOINT);
  return {
    move: () => driver.exec(CHECKPOINT),
    measure: () => {
      const { log, checkpointed }: { log: number; checkpointed: number } = checkpoint.get();
      return { log, isWhole: checkpointed === log };
    },
    close: () => driver.close(),
  };
}

function isPassing(error: unknown, file: string): boolean {
  return isBusy(error) || isFull(error) || (isFailedWrite(error) && hasNoSpace(file));
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
