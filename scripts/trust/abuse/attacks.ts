// All attacks.
import type { Attack } from './attack.ts';
import { leastChunks, manyHeaders, repeatedParameters, sentAhead, smallChunks } from './dense-reads.ts';
import { manyStreams } from './fan-out.ts';
import {
  broadcasts,
  broadcastsInManyNetworks,
  inboxBatches,
  manyNetworks,
  parallelBroadcasts,
  sessionLists,
  unreadAnswers,
} from './heavy-answers.ts';
import {
  fatSubscriptions,
  hookBodies,
  membersBodies,
  strangersBodies,
  unknownPaths,
  wideBodies,
} from './heavy-bodies.ts';
import { expiries, logins, renames, searches } from './heavy-work.ts';
import { changesOfRights, earlyResets } from './places-and-rights.ts';

export const ATTACKS: readonly Attack[] = [
  inboxBatches,
  sessionLists,
  unreadAnswers,
  manyNetworks,
  broadcasts,
  parallelBroadcasts,
  broadcastsInManyNetworks,
  manyStreams,
  strangersBodies,
  membersBodies,
  unknownPaths,
  wideBodies,
  hookBodies,
  fatSubscriptions,
  smallChunks,
  leastChunks,
  sentAhead,
  repeatedParameters,
  manyHeaders,
  earlyResets,
  changesOfRights,
  logins,
  expiries,
  renames,
  searches,
];
