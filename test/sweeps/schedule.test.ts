// When sweeps run is node-cron's; what it has to say of them stands in the log of the hub, and not beside it.
import { expect, onTestFinished, test } from 'vitest';
import { scheduleSweeps } from '../../server/sweeps/schedule.ts';
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
