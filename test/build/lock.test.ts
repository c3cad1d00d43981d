import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withLock } from '../../build/lock.ts';

let directory: string;
let lock: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
  lock = join(directory, 'lock');
});

afterEach(() => rmSync(directory, { recursive: true }));

describe('the lock of the build', () => {
  test('allows one build at a time', async () => {
    const order: string[] = [];
    const building = (name: string) => async () => {
      order.push(`${name} starts`);
      await Promise.resolve();
      order.push(`${name} ends`);
    };
    await Promise.all([withLock(building('one'), lock), withLock(building('two'), lock)]);
    expect(order).toEqual(['one starts', 'one ends', 'two starts', 'two ends']);
  });

  test('is released, even by a failed build', async () => {
    await expect(withLock(() => Promise.reject(new Error('no')), lock)).rejects.toThrow('no');
    expect(existsSync(lock)).toBe(false);
  });

  test('is ignored once its process is gone', async () => {
    writeFileSync(lock, String(spawnSync('true').pid));
    expect(await withLock(async () => 'built', lock)).toBe('built');
  });

  test('that cannot be written is an error, not a wait', async () => {
    const inNoDirectory = join(lock, 'below');
    writeFileSync(lock, '');
    await expect(withLock(async () => 'built', inNoDirectory)).rejects.toThrow();
  });
});
