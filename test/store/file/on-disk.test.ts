// Free disk space is checked before a copy could take it from a running hub.
import { expect, test } from 'vitest';
import { StartError } from '../../../server/domain/errors.ts';
import { assertRoom } from '../../../server/store/file/on-disk.ts';
import { temporaryDirectory } from '../../support/test-hub.ts';

test('a copy that would fill the disk is rejected with both sizes, and one that fits is not', () => {
  const directory = temporaryDirectory();
  expect(() => assertRoom(directory, 0)).not.toThrow();
  expect(() => assertRoom(directory, 1e17)).toThrow(StartError);
  expect(() => assertRoom(directory, 1e17)).toThrow(/^the disk has \d+ MB left, and \d+ MB are needed$/);
});
