// All rows of the scoreboard, in order.
import { crashByRequest } from './abuse/crash-by-request.ts';
import { descriptors } from './abuse/descriptors.ts';
import { handshakes } from './abuse/handshakes.ts';
import { slowClients } from './abuse/slow-clients.ts';
import { smallContainer } from './abuse/small-container.ts';
import { smallMemory } from './abuse/small-memory.ts';
import { tenants } from './abuse/tenants.ts';
import { firstUsers } from './access/first-users.ts';
import { invites } from './access/invites.ts';
import { limits } from './access/limits.ts';
import { logins } from './access/logins.ts';
import { manyAddresses } from './access/many-addresses.ts';
import { secrets } from './access/secrets.ts';
import { tenantIsolation } from './access/tenant-isolation.ts';
import { clockJumps } from './clock/clock-jumps.ts';
import { sleep } from './clock/sleep.ts';
import { clocksApart } from './cluster/clocks-apart.ts';
import { hubLoss, hungHub, serverLoss } from './cluster/losses.ts';
import { networkSplit } from './cluster/network-split.ts';
import { promotion } from './cluster/promotion.ts';
import { rollingUpgrade } from './cluster/rolling-upgrade.ts';
import { deliveryMarks } from './delivery/delivery-marks.ts';
import { exactlyOnce } from './delivery/exactly-once.ts';
import { races } from './delivery/races.ts';
import { stalledReaders } from './delivery/stalled-readers.ts';
import { streamReplay } from './delivery/stream-replay.ts';
import type { Row } from './row.ts';
import { seededFaults } from './seeded-faults.ts';
import { backupLatency } from './storage/backup-latency.ts';
import { backups } from './storage/backups.ts';
import { badFiles } from './storage/bad-files.ts';
import { failStop } from './storage/fail-stop.ts';
import { fullDisk } from './storage/full-disk.ts';
import { givesBack } from './storage/gives-back.ts';
import { hostileBackup } from './storage/hostile-backup.ts';
import { killNine } from './storage/kill-nine.ts';
import { powerCut } from './storage/power-cut.ts';
import { readErrors } from './storage/read-errors.ts';
import { restores } from './storage/restores.ts';
import { retention } from './storage/retention.ts';
import { upgrades } from './storage/upgrades.ts';
import { usedUpQuota } from './storage/used-up-quota.ts';

export const ROWS: readonly Row[] = [
  killNine,
  deliveryMarks,
  powerCut,
  fullDisk,
  usedUpQuota,
  failStop,
  readErrors,
  badFiles,
  backups,
  backupLatency,
  restores,
  hostileBackup,
  upgrades,
  streamReplay,
  retention,
  givesBack,
  stalledReaders,
  exactlyOnce,
  races,
  invites,
  firstUsers,
  logins,
  limits,
  slowClients,
  manyAddresses,
  descriptors,
  handshakes,
  secrets,
  tenantIsolation,
  crashByRequest,
  tenants,
  smallMemory,
  smallContainer,
  sleep,
  clockJumps,
  hubLoss,
  hungHub,
  serverLoss,
  promotion,
  networkSplit,
  clocksApart,
  rollingUpgrade,
  seededFaults,
];
