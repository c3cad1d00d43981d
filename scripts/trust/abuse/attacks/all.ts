// All attacks.
import type { Attack } from '../attack.ts';
import { broadcasts, broadcastsInManyNetworks, parallelBroadcasts } from './broadcasts.ts';
import { bodiesAndBatches } from './combined.ts';
import {
  changesToFollow,
  earlyResets,
  endingConnections,
  manyStreams,
  permissionChanges,
  resetBatches,
} from './connections-and-permissions.ts';
import {
  answeredAtOnce,
  burstOfRequests,
  burstOfSmallChunks,
  leastChunks,
  manyHeaders,
  repeatedParameters,
  sentAhead,
  smallChunks,
} from './dense-reads.ts';
import {
  hookBodies,
  hookSessions,
  largeCompletions,
  largeSubscriptions,
  smallBodies,
  unknownPaths,
  wideBodies,
} from './heavy-bodies.ts';
import {
  batchesOfManyUsers,
  inboxBatches,
  manyNetworks,
  pagesOfManyUsers,
  reconnectingReaders,
  sessionLists,
  settledWaits,
  unreadResponses,
} from './heavy-responses.ts';
import { concurrentRenames, expiries, logins, longExpiries, renames, searches } from './heavy-work.ts';
import { endlessResponses } from './receivers.ts';
import { filteredStatus, removal, resumedStreams, weeksOfFigures } from './stored-data.ts';
import {
  memberBodies,
  pipelinedBodies,
  pipelinedUnauthorized,
  refusedBodies,
  unauthenticatedBodies,
} from './unread-bodies.ts';

export const ATTACKS: readonly Attack[] = [
  inboxBatches,
  batchesOfManyUsers,
  sessionLists,
  settledWaits,
  filteredStatus,
  unreadResponses,
  reconnectingReaders,
  pagesOfManyUsers,
  manyNetworks,
  broadcasts,
  parallelBroadcasts,
  broadcastsInManyNetworks,
  manyStreams,
  unauthenticatedBodies,
  memberBodies,
  pipelinedBodies,
  pipelinedUnauthorized,
  unknownPaths,
  wideBodies,
  refusedBodies,
  smallBodies,
  hookBodies,
  hookSessions,
  largeCompletions,
  largeSubscriptions,
  smallChunks,
  burstOfSmallChunks,
  leastChunks,
  burstOfRequests,
  sentAhead,
  ...answeredAtOnce,
  repeatedParameters,
  manyHeaders,
  earlyResets,
  resetBatches,
  permissionChanges,
  changesToFollow,
  endingConnections,
  logins,
  expiries,
  longExpiries,
  renames,
  concurrentRenames,
  searches,
  resumedStreams,
  weeksOfFigures,
  removal,
  endlessResponses,
  bodiesAndBatches,
];
