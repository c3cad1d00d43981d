// The file with which the hub sees whether there is room again after a failed write.
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasRoomFor } from '../../../server/store/engine/libsql/disk-space.ts';
import { temporaryDirectory } from '../../support/process/running-hub.ts';

test('it does not follow a link in its place, and is gone afterwards', () => {
  const [data, elsewhere] = [temporaryDirectory(), join(temporaryDirectory(), 'precious')];
  const file = join(data, 'agenthub.db');
  writeFileSync(`${file}-wal`, '');
  writeFileSync(elsewhere, 'stays');
  symlinkSync(elsewhere, `${file}-probe`);
  expect(hasRoomFor(4, file)).toBe(true);
  expect(readFileSync(elsewhere, 'utf8')).toBe('stays');
  expect(existsSync(`${file}-probe`)).toBe(false);
});
