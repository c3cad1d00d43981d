// Writes log lines at once. A log that cannot be written, because its reader is gone or slow or its disk is full, must
// neither stop nor delay the hub: its lines are dropped, and counted when lines can be written again.
import { writeSync } from 'node:fs';

export type LogOutput = { write(line: string): void };

/** How long a full pipe may delay the hub. From then on, lines are dropped without delay until it takes one again. */
const MAX_WAIT_MS = 100;
const PAUSE_MS = 5;

/** `onAgain` is called with the number of lost lines and the last error code, after a line was written again. */
export function openLogOutput(
  descriptor: number,
  onAgain: (lost: number, code: string) => void,
  write: (descriptor: number, bytes: Buffer) => number = writeSync,
): LogOutput {
  let rest: Buffer = Buffer.of(); // of a line that was written in part
  let lost = 0;
  let reason = '';

  const writeAll = (bytes: Buffer): void => {
    const until = lost > 0 ? 0 : performance.now() + MAX_WAIT_MS;
    rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(write(descriptor, rest));
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN' || performance.now() >= until) throw error;
        pause();
      }
    }
  };
  const lose = (error: unknown): void => {
    lost += 1;
    reason = codeOf(error);
  };
  return {
    write: (line) => {
      const bytes = Buffer.from(line);
      try {
        writeAll(rest);
      } catch (error) {
        return lose(error);
      }
      try {
        writeAll(bytes);
      } catch (error) {
        lose(error);
        if (rest.length === bytes.length) rest = Buffer.of();
        return;
      }
      if (lost === 0) return;
      const count = lost;
      lost = 0;
      onAgain(count, reason);
    },
  };
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

const NEVER = new Int32Array(new SharedArrayBuffer(4));

function pause(): void {
  Atomics.wait(NEVER, 0, 0, PAUSE_MS);
}
