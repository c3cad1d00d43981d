// A write that accompanies a read neither fails nor delays it if the hub can store nothing now.
import { expect, onTestFinished, test, vi } from 'vitest';
import { HubError, unavailable } from '../../server/domain/errors.ts';
import { bestEffort } from '../../server/operations/best-effort.ts';

const READY = { isHeldUp: () => false };
const never = () => new Promise<never>(() => {});

test.each([
  ['that is stored', async () => 'stored'],
  ['that a full disk refuses', () => Promise.reject(new HubError('storage_full', 'the disk is full'))],
  ['that the database refuses', () => Promise.reject(unavailable('the database cannot be reached'))],
])('a write %s is waited for', async (_, write) => {
  await expect(bestEffort(READY, write)).resolves.toBeUndefined();
});

test('any other error is thrown', async () => {
  const refusal = new HubError('not_found', 'no such agent');
  await expect(bestEffort(READY, () => Promise.reject(refusal))).rejects.toBe(refusal);
});

test('a write that takes long is waited for two seconds, and may fail later', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const late = Promise.withResolvers<void>();
  let isOver = false;
  const effort = bestEffort(READY, () => late.promise).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(1_999);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await effort;
  late.reject(unavailable('refused after five seconds'));
});

test('nothing is written while the database server holds up all writes', async () => {
  const write = vi.fn(never);
  await bestEffort({ isHeldUp: () => true }, write);
  expect(write).not.toHaveBeenCalled();
});
