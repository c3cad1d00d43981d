// Shows on a terminal how far a long check is: one line on standard error that grows.

export type Progress = {
  /** `bytes` is what the check reads. */
  begin(what: string, bytes: number): void;
  /** The share that is done, from 0 to 1. */
  update(share: number): void;
  end(): void;
};

/** Reading less takes less than a second. */
const LONG_BYTES = 100_000_000;
const STEP = 0.1;

export function openProgress(terminal: { isTTY: boolean; write(text: string): unknown } = process.stderr): Progress {
  let isShown = false;
  let next = STEP;
  const write = (text: string): void => {
    if (isShown) terminal.write(text);
  };
  return {
    begin: (what, bytes) => {
      isShown = terminal.isTTY && bytes >= LONG_BYTES;
      next = STEP;
      write(`${what} …`);
    },
    update: (share) => {
      if (share < next) return;
      next = (Math.floor(share / STEP) + 1) * STEP;
      write(` ${Math.floor(share * 100)} %`);
    },
    end: () => write('\n'),
  };
}
