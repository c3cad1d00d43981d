// How V8 collects the garbage of a hub. These flags are set by `serve` and not in sea-config.json: with another value
// from the start, V8 refuses the compiled code of Node's own modules, which delays every command by 20 ms.
import { setFlagsFromString } from 'node:v8';

/** Each with its default. The decisions of 2026-11-20 and 2026-11-22 say what each gives. */
const FLAGS: readonly (readonly [ofHub: string, usual: string])[] = [
  ['--no-allocation-site-pretenuring', '--allocation-site-pretenuring'],
  ['--heap-growing-percent=100', '--heap-growing-percent=0'],
];

export function tuneGarbageCollection(): void {
  for (const [ofHub] of FLAGS) setFlagsFromString(ofHub);
}

/** For the build: V8 compares the flags when it loads the compiled code. */
export function untuneGarbageCollection(): void {
  for (const [, usual] of FLAGS) setFlagsFromString(usual);
}
