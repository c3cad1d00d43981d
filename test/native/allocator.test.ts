// Memory that was freed between blocks in use goes back to the system. Only glibc keeps it.
import { expect, test } from 'vitest';
import { startElsewhere } from '../support/process/other-process.ts';

const MEBIBYTE = 1024 * 1024;

/** Fills 250 MiB, with a small block after each MiB that stays, and discards the rest. */
const FREEING = `
  import { readFileSync } from 'node:fs';
  import { openTrim } from '${new URL('../../server/native/allocator.ts', import.meta.url).href}';
  const resident = () => 1024 * Number(/^RssAnon:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
  const stays = [];
  let discarded = [];
  const before = resident();
  for (let block = 0; block < 4_000; block += 1) {
    discarded.push(Buffer.allocUnsafeSlow(65_536).fill(1));
    if (block % 16 === 0) stays.push(Buffer.allocUnsafeSlow(64).fill(1));
  }
  discarded = undefined;
  for (let round = 0; round < 3; round += 1) {
    gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const kept = resident() - before;
  openTrim()();
  console.log(JSON.stringify({ kept, left: resident() - before, stays: stays.length }));
`;

test.skipIf(process.platform !== 'linux')('freed memory is given back', async () => {
  const { firstWords } = await startElsewhere(FREEING, [], ['--expose-gc', '--disable-warning=ExperimentalWarning']);
  const { kept, left } = JSON.parse(firstWords);
  expect(kept).toBeGreaterThan(150 * MEBIBYTE);
  expect(left).toBeLessThan(50 * MEBIBYTE);
});
