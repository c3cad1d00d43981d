// The disk trials of `npm run trust`, in their smallest form on the executable: power cuts, full disks, I/O errors,
// damaged files.
import { describe, expect, test } from 'vitest';
import { badFiles } from '../../scripts/trust/storage/bad-files.ts';
import { openDisk } from '../../scripts/trust/storage/disk.ts';
import { failStop } from '../../scripts/trust/storage/fail-stop.ts';
import { fullDisk } from '../../scripts/trust/storage/full-disk.ts';
import { hostileBackup } from '../../scripts/trust/storage/hostile-backup.ts';
import { powerCut } from '../../scripts/trust/storage/power-cut.ts';
import { readErrors } from '../../scripts/trust/storage/read-errors.ts';
import { usedUpQuota } from '../../scripts/trust/storage/used-up-quota.ts';
import { isBuilt } from '../support/process/hub-process.ts';
import { expectKept, TRIAL_MS } from '../support/trials.ts';

describe.skipIf(!isBuilt('binary'))('on the executable', () => {
  test.each([powerCut, fullDisk, usedUpQuota, failStop, readErrors, badFiles, hostileBackup])(
    '$promise',
    { timeout: TRIAL_MS },
    (row) => expectKept(row),
  );
});

describe('after a power cut', () => {
  const bytes = (text: string) => Buffer.from(text);
  const none = (): number => 0;
  const found = (disk: ReturnType<typeof openDisk>, keep: (size: number) => number = none): string | undefined => {
    const image = disk.imageOf('file', keep);
    return image === undefined ? undefined : Buffer.from(image).toString();
  };

  test('synced data is there, unsynced data may be', () => {
    const disk = openDisk('/data');
    disk.apply({ kind: 'create', path: '/data/file' });
    disk.apply({ kind: 'write', path: '/data/file', at: 0, bytes: bytes('first') });
    disk.apply({ kind: 'sync', path: '/data' });
    expect(found(disk)).toBe('');
    disk.apply({ kind: 'sync', path: '/data/file' });
    disk.apply({ kind: 'write', path: '/data/file', at: 5, bytes: bytes(' second') });
    expect([found(disk), found(disk, () => 3), found(disk, (size) => size)]).toEqual([
      'first',
      'first se',
      'first second',
    ]);
  });

  test('a new file exists once its directory was synced, a removed one until then', () => {
    const disk = openDisk('/data');
    disk.apply({ kind: 'create', path: '/data/file' });
    expect(found(disk)).toBeUndefined();
    disk.apply({ kind: 'sync', path: '/data' });
    disk.apply({ kind: 'remove', path: '/data/file' });
    expect(found(disk)).toBe('');
    disk.apply({ kind: 'sync', path: '/data' });
    expect(found(disk)).toBeUndefined();
  });
});
