// All rows of the scoreboard, in its order.
import { backupLatency } from './backup-latency.ts';
import { backups } from './backups.ts';
import { badFiles } from './bad-files.ts';
import { bite } from './bite.ts';
import { clockJumps } from './clock-jumps.ts';
import { crashByRequest } from './crash-by-request.ts';
import { deliveryMarks } from './delivery-marks.ts';
import { descriptors } from './descriptors.ts';
import { exactlyOnce } from './exactly-once.ts';
import { failStop } from './fail-stop.ts';
import { firstUsers } from './first-users.ts';
import { fullDisk } from './full-disk.ts';
import { hostileBackup } from './hostile-backup.ts';
import { invites } from './invites.ts';
import { killNine } from './kill-nine.ts';
import { limits } from './limits.ts';
import { logins } from './logins.ts';
import { manyAddresses } from './many-addresses.ts';
import { powerCut } from './power-cut.ts';
import { races } from './races.ts';
import { readErrors } from './read-errors.ts';
import { restores } from './restores.ts';
import { retention } from './retention.ts';
import type { Row } from './row.ts';
import { secrets } from './secrets.ts';
import { sleep } from './sleep.ts';
import { slowClients } from './slow-clients.ts';
import { smallMemory } from './small-memory.ts';
import { stalledReaders } from './stalled-readers.ts';
import { strangers } from './strangers.ts';
import { streamReplay } from './stream-replay.ts';
import { tenants } from './tenants.ts';
import { upgrades } from './upgrades.ts';
import { usedUpQuota } from './used-up-quota.ts';

export const ROWS: readonly Row[] = [
  killNine, deliveryMarks, powerCut, fullDisk, usedUpQuota, failStop, readErrors, badFiles, backups, backupLatency, restores,
  hostileBackup, upgrades, streamReplay, retention, stalledReaders, exactlyOnce, races, invites, firstUsers, logins, limits, slowClients,
  manyAddresses, descriptors, secrets, strangers, crashByRequest, tenants, smallMemory, sleep, clockJumps, bite,
];
