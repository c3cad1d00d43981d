// All attacks.
import type { Attack } from './attack.ts';
import { changesOfRights, earlyResets } from './connections-and-permissions.ts';
import { leastChunks, manyHeaders, repeatedParameters, sentAhead, smallChunks } from './dense-reads.ts';
import { manyStreams } from './fan-out.ts';
import {
  fatSubscriptions,
  hookBodies,
  membersBodies,
  strangersBodies,
  unknownPaths,
  wideBodies,
} from './heavy-bodies.ts';
import {
  broadcasts,
  broadcastsInManyNetworks,
  inboxBatches,
  manyNetworks,
  parallelBroadcasts,
  sessionLists,
  unreadAnswers,
} from './heavy-responses.ts';
import { expiries, logins, renames, searches } from './heavy-work.ts';

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
