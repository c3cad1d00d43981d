// What the garbage collections of V8 leave behind. Minor collections are cheap and run often; what survives two of them
// waits for a major one.
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage: (options?: { type: 'major' | 'minor' }) => void = runInNewContext('gc');

/** The bytes of the heap that are still in use. */
export function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const COLLECTED_EVERY = 20;

/** The bytes per call that survive minor collections while `call` runs `count` times. */
export async function survivingBytes(count: number, call: (number: number) => unknown): Promise<number> {
  collectGarbage();
  const before = oldBytes();
  for (let number = 0; number < count; number++) {
    await call(number);
    if (number % COLLECTED_EVERY === 0) collectGarbage({ type: 'minor' });
  }
  return (oldBytes() - before) / count;
}

function oldBytes(): number {
  const old = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('new_'));
  return old.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
}
