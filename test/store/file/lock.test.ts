// One hub per data directory. The lock is released however its holder ends.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StartError } from '../../../server/domain/errors.ts';
import { takeLock } from '../../../server/store/file/lock.ts';
import { killAtOnce, startElsewhere } from '../../support/process/other-process.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

const HOLD = `
  const { takeLock } = await import(process.argv[1]);
  await takeLock(process.argv[2]);
  console.log('held');
  setInterval(() => {}, 1_000);
`;

function holdElsewhere(file: string) {
  return startElsewhere(HOLD, [new URL('../../../server/store/file/lock.ts', import.meta.url).href, file]);
}

test('a second holder in the same process is rejected with a one-line error that says what to do', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  const lock = await takeLock(file);
  const second = takeLock(file);
  await expect(second).rejects.toBeInstanceOf(StartError);
  await expect(second).rejects.toThrow(
    /^another agenthub is using this data directory \(.+agenthub\.lock is locked\); stop it, or choose another with --data$/,
  );
  lock.release();
});

test('a released lock can be acquired again', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  for (let round = 0; round < 3; round++) (await takeLock(file)).release();
});

test('the lock is unavailable while another process holds it, and available once that process is killed', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  const holder = await holdElsewhere(file);
  await expect(takeLock(file)).rejects.toBeInstanceOf(StartError);
  await killAtOnce(holder);
  (await takeLock(file)).release();
});

test('another process is rejected while this one holds the lock', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  const lock = await takeLock(file);
  await expect(holdElsewhereQuietly(file)).rejects.toThrow('the other process ended');
  lock.release();
});

function holdElsewhereQuietly(file: string) {
  return startElsewhere(`process.on('uncaughtException', () => process.exit(1)); ${HOLD}`, [
    new URL('../../../server/store/file/lock.ts', import.meta.url).href,
    file,
  ]);
}

test('of ten concurrent attempts, one succeeds', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  const taken = await Promise.allSettled(Array.from({ length: 10 }, () => takeLock(file)));
  const locks = taken.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  expect(locks).toHaveLength(1);
  locks.forEach((lock) => lock.release());
});

test('a file with other content is named in a one-line error and not modified', async () => {
  const file = join(temporaryDirectory(), 'agenthub.lock');
  writeFileSync(file, 'somebody else keeps this here\n'.repeat(100));
  const before = readFileSync(file);
  const taken = takeLock(file);
  await expect(taken).rejects.toBeInstanceOf(StartError);
  await expect(taken).rejects.toThrow(
    `${file} is not an agenthub lock file; remove it, or choose another directory with --data`,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
});
