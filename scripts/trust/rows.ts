// All rows of the scoreboard, in its order.
import { fullDisk } from './full-disk.ts';
import { badFiles } from './bad-files.ts';
import { exactlyOnce } from './exactly-once.ts';
import { killNine } from './kill-nine.ts';
import { powerCut } from './power-cut.ts';
import { races } from './races.ts';
import { streamReplay } from './stream-replay.ts';
import type { Row } from './row.ts';

export const ROWS: readonly Row[] = [killNine, powerCut, fullDisk, streamReplay, exactlyOnce, races, badFiles];
