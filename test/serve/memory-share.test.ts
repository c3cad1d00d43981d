// How far the memory limits are scaled down on small machines.
import { expect, test } from 'vitest';
import { memoryShareOf } from '../../server/serve/machine/memory.ts';

const MEBIBYTE = 1024 * 1024;

test.each([
  [64, 1 / 8],
  [480, 1 / 8],
  [512, 1 / 7],
  [1_152, 1 / 2],
  [2_048, 1],
  [24_000, 1],
])('with %i MiB of memory, %f of the limits apply', (mebibytes, share) => {
  expect(memoryShareOf(mebibytes * MEBIBYTE)).toBeCloseTo(share, 5);
});
