// The trials of `npm run trust` in their smallest form on the executable, and proof that they can fail. Trials with
// kills and with disk faults have their own files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from '../../build/step.ts';
import { earlyResets, permissionChanges } from '../../scripts/trust/abuse/attacks/connections-and-permissions.ts';
import { inboxBatches } from '../../scripts/trust/abuse/attacks/heavy-responses.ts';
import { unauthenticatedBodies } from '../../scripts/trust/abuse/attacks/unread-bodies.ts';
import { crashByRequest } from '../../scripts/trust/abuse/crash-by-request.ts';
import { descriptors } from '../../scripts/trust/abuse/descriptors.ts';
import { slowClients } from '../../scripts/trust/abuse/slow-clients.ts';
import { smallMemoryUnder } from '../../scripts/trust/abuse/small-memory.ts';
import { tenantsUnder } from '../../scripts/trust/abuse/tenants.ts';
import { firstUsers } from '../../scripts/trust/access/first-users.ts';
import { invites } from '../../scripts/trust/access/invites.ts';
import { limits } from '../../scripts/trust/access/limits.ts';
import { manyAddresses } from '../../scripts/trust/access/many-addresses.ts';
import { secrets } from '../../scripts/trust/access/secrets.ts';
import { tenantIsolation } from '../../scripts/trust/access/tenant-isolation.ts';
import { clockJumps } from '../../scripts/trust/clock/clock-jumps.ts';
import { sleep } from '../../scripts/trust/clock/sleep.ts';
import { hubLoss } from '../../scripts/trust/cluster/losses.ts';
import { deliveryMarks } from '../../scripts/trust/delivery/delivery-marks.ts';
import { exactlyOnce } from '../../scripts/trust/delivery/exactly-once.ts';
import { races } from '../../scripts/trust/delivery/races.ts';
import { stalledReaders } from '../../scripts/trust/delivery/stalled-readers.ts';
import { streamReplay } from '../../scripts/trust/delivery/stream-replay.ts';
import type { Row } from '../../scripts/trust/row.ts';
import { ROWS } from '../../scripts/trust/rows.ts';
import { FAULTS, seed } from '../../scripts/trust/seeded-faults.ts';
import { retention } from '../../scripts/trust/storage/retention.ts';
import { isBuilt } from '../support/process/hub-process.ts';
import { seededDraws } from '../support/store/seeded.ts';
import { expectKept, TRIAL_MS } from '../support/trials.ts';

const TRIED: readonly Row[] = [
  deliveryMarks,
  streamReplay,
  retention,
  exactlyOnce,
  races,
  invites,
  firstUsers,
  limits,
  manyAddresses,
  descriptors,
  secrets,
  tenantIsolation,
  sleep,
  clockJumps,
  hubLoss,
];
const SEEDED = [
  'the transition guard missing',
  'the result of an idempotency key lost',
  'the network of a task not checked',
  'a task transition not counted',
  'own events published before earlier ones of other hubs',
];

/** Only `npm run trust` measures times. Here are the attacks that crash, lock or fill an unprotected hub. */
const ABUSED: readonly Row[] = [
  crashByRequest,
  tenantsUnder([inboxBatches, earlyResets, permissionChanges]),
  smallMemoryUnder([inboxBatches, unauthenticatedBodies]),
];

// `logins` measures a latency, which other tests would disturb, and `seeded-faults` takes as long as all the others.
describe.skipIf(!isBuilt('binary'))('on the executable', () => {
  let waiting: Promise<void>; // mostly waits, so the others run meanwhile
  beforeAll(() => {
    waiting = expectKept(slowClients);
    waiting.catch(() => {});
  });

  test.each([...TRIED, ...ABUSED])('$promise', { timeout: TRIAL_MS }, (row) => expectKept(row));

  // The memory of a few readers is mostly that of their senders.
  test(stalledReaders.promise, { timeout: TRIAL_MS }, () => expectKept(stalledReaders, { size: 'quick' }));

  test(slowClients.promise, { timeout: TRIAL_MS }, () => waiting);
});

test.each(FAULTS.filter(({ name }) => SEEDED.includes(name)).map((fault) => [fault.name, fault] as const))(
  'detected: %s',
  { timeout: TRIAL_MS },
  async (_, fault) => {
    expect(await seed(fault, seededDraws().below(2 ** 32))).toBe('caught');
  },
);

test.each(FAULTS)('the fault can be injected into the current source: $name', ({ file, find }) => {
  expect(readFileSync(join(ROOT, file), 'utf8').split(find)).toHaveLength(2);
});

test('every fault injected here exists, and row names are unique', () => {
  expect(FAULTS.filter(({ name }) => SEEDED.includes(name))).toHaveLength(SEEDED.length);
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
});
