// Runs programs under libfaketime, which tells them another time of day while intervals stay what they are.
import { existsSync } from 'node:fs';

const PLACES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
);

/** Said where it is missing. */
export const NO_FAKETIME = 'libfaketime is not installed (apt-get install faketime)';

/** Undefined where it is not installed. */
export function faketimeLibrary(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** The environment of a program whose wall clock is so many seconds ahead; what it starts inherits that. */
export function aheadBy(library: string, seconds: number): Record<string, string> {
  return { ...preloaded(library), FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}` };
}

/** The same where a file says how far, such as `+3600`, and may say something else at any time. */
export function aheadAsIn(library: string, file: string): Record<string, string> {
  return { ...preloaded(library), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' };
}

// The times of files stay those of the machine: Node asks the kernel for them without the library.
function preloaded(library: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };
}
