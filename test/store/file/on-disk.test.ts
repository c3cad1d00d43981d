// Room on a disk is looked at before a copy takes it from a hub that writes there.
import { expect, test } from 'vitest';
import { StartError } from '../../../server/domain/errors.ts';
import { assertRoom } from '../../../server/store/file/on-disk.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

test('a copy that would fill the disk is refused with both figures, one that fits is not', () => {
  const directory = temporaryDirectory();
  expect(() => assertRoom(directory, 0)).not.toThrow();
  expect(() => assertRoom(directory, 1e17)).toThrow(StartError);
  expect(() => assertRoom(directory, 1e17)).toThrow(/^the disk has \d+ MB left, and \d+ MB are needed$/);
});
