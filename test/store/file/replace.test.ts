// Replaces a database with another one. The previous file is kept under a unique name.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceDatabase } from '../../../server/store/file/replace.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

test('of several replaced within a second, each is kept', () => {
  const place = temporaryDirectory();
  const file = join(place, 'agenthub.db');
  const contents = ['first', 'second', 'third'];
  writeFileSync(file, contents[0] ?? '');
  writeFileSync(join(place, 'before-2-wal'), 'a log that belongs to another');
  const kept = contents.map((_, at) => {
    writeFileSync(join(place, 'new'), contents[at + 1] ?? 'last');
    return replaceDatabase(file, join(place, 'new'), join(place, 'before')) ?? '';
  });
  expect(kept).toEqual(['before', 'before-3', 'before-4'].map((name) => join(place, name)));
  expect(kept.map((name) => readFileSync(name, 'utf8'))).toEqual(contents);
  expect(readFileSync(file, 'utf8')).toBe('last');
});
