import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadNamed, loadNameless } from '../../server/native/library.ts';

const here = createRequire(import.meta.url);
const addon = readFileSync(createRequire(here.resolve('libsql')).resolve(`@libsql/linux-${process.arch}-gnu`));
let directory: string;

beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'library-'))));
afterEach(() => rmSync(directory, { recursive: true }));

describe.runIf(process.platform === 'linux')('a library without a name', () => {
  // First: the system identifies a loaded library by its path, and the next one can get the same descriptor.
  test('leaves nothing behind when it cannot be loaded', () => {
    expect(() => loadNameless(directory, Buffer.from('no library'))).toThrow();
    expect(readdirSync(directory)).toEqual([]);
  });

  test('is loaded and leaves nothing behind', () => {
    expect(loadNameless(directory, addon)).toHaveProperty('databaseOpen');
    expect(readdirSync(directory)).toEqual([]);
  });

  test('requires a writable directory', () => {
    expect(() => loadNameless(join(directory, 'missing'), addon)).toThrow('ENOENT');
  });
});

describe.skipIf(process.platform === 'win32')('a library that keeps its file', () => {
  const own = () => join(directory, `agenthub-${process.getuid?.()}`);

  test('is one file per content, in a directory that only its owner can access', () => {
    expect(loadNamed(directory, addon)).toHaveProperty('databaseOpen');
    expect(loadNamed(directory, addon)).toHaveProperty('databaseOpen');
    expect(readdirSync(own())).toHaveLength(1);
    expect(statSync(own()).mode & 0o777).toBe(0o700);
  });

  test('is rewritten when the existing file differs', () => {
    loadNamed(directory, addon);
    const file = join(own(), readdirSync(own())[0] ?? '');
    rmSync(file);
    writeFileSync(file, 'planted');
    expect(loadNamed(directory, addon)).toHaveProperty('databaseOpen');
    expect(readFileSync(file).equals(addon)).toBe(true);
  });

  test('is rejected from a directory that others can access', () => {
    mkdirSync(own());
    chmodSync(own(), 0o755);
    expect(() => loadNamed(directory, addon)).toThrow('belongs to another user or is accessible to others');
  });
});
