// All rows of the scoreboard, in its order.
import { firstUsers } from './first-users.ts';
import { limits, logins, manyAddresses, slowClients } from './floods.ts';
import { fullDisk } from './full-disk.ts';
import { badFiles } from './bad-files.ts';
import { bite } from './bite.ts';
import { exactlyOnce } from './exactly-once.ts';
import { invites } from './invites.ts';
import { killNine } from './kill-nine.ts';
import { powerCut } from './power-cut.ts';
import { races } from './races.ts';
import { secrets } from './secrets.ts';
import { stalledReaders } from './stalled-readers.ts';
import { strangers } from './strangers.ts';
import { streamReplay } from './stream-replay.ts';
import type { Row } from './row.ts';

export const ROWS: readonly Row[] = [
  killNine, powerCut, fullDisk, badFiles, streamReplay, stalledReaders, exactlyOnce, races, invites, firstUsers,
  logins, limits, slowClients, manyAddresses, secrets, strangers, bite,
];
