// When sweeps run is node-cron's; what it has to say of them stands in the log of the hub, and not beside it, as what they fail of does.
import { expect, onTestFinished, test } from 'vitest';
import { storageFull } from '../../server/domain/errors.ts';
import { scheduleSweeps, sweepOnce } from '../../server/sweeps/schedule.ts';
import { openTestHub } from '../support/test-hub.ts';

const TWO_SWEEPS_MS = 2_200;

test('a sweep whose time passed while the hub was too busy is named in the log', async () => {
  const hub = await openTestHub();
  const warned: object[] = [];
  const schedule = scheduleSweeps({ ...hub, log: { ...hub.log, warn: (fields) => void warned.push(fields) } }, { forgetAddresses: async () => ({}), backUp: async () => ({}) });
  onTestFinished(() => schedule.stop());
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TWO_SWEEPS_MS);
  await expect.poll(() => warned, { timeout: 5_000 }).toContainEqual({ sweep: 'write-marks' });
});

test('a sweep that fails every second is told once for each error, and so is that it succeeds again', async () => {
  const hub = await openTestHub();
  const lines: string[] = [];
  const log = { ...hub.log, error: (fields: { err?: unknown }) => void lines.push(String(fields.err)), info: (_: object, line: string) => void lines.push(line) };
  const told = new Map<string, string>();
  for (const failure of [undefined, storageFull(), storageFull(), new Error('another'), undefined, undefined, storageFull()]) {
    await sweepOnce({ ...hub, log }, told, 'write-marks', async () => {
      if (failure !== undefined) throw failure;
      return {};
    });
  }
  const full = String(storageFull());
  expect(lines).toEqual([full, 'Error: another', 'a sweep succeeds again', full]);
});
