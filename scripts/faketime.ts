// Runs programs under libfaketime, which changes the time of day but not the length of intervals.
import { existsSync } from 'node:fs';

const PLACES = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
);

/** The message if it is missing. */
export const NO_FAKETIME = 'libfaketime is not installed (apt-get install faketime)';

/** Returns undefined if it is not installed. */
export function faketimeLibrary(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** The environment for a program with a shifted wall clock. Its child processes inherit the shift. */
export function aheadBy(library: string, seconds: number): Record<string, string> {
  return { ...preloaded(library), FAKETIME: `${seconds < 0 ? '' : '+'}${seconds}` };
}

/** Like above, but a file contains the shift, such as `+3600`, and may change at any time. */
export function aheadAsIn(library: string, file: string): Record<string, string> {
  return { ...preloaded(library), FAKETIME_TIMESTAMP_FILE: file, FAKETIME_NO_CACHE: '1' };
}

// File times stay real, because Node reads them from the kernel without the library.
function preloaded(library: string): Record<string, string> {
  return { LD_PRELOAD: library, FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1', NO_FAKE_STAT: '1' };
}
