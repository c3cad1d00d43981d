// All attacks.
import type { Attack } from './attack.ts';
import { earlyResets, manyStreams, permissionChanges, resetBatches } from './connections-and-permissions.ts';
import {
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
  largeCompletions,
  largeSubscriptions,
  memberBodies,
  smallBodies,
  unauthenticatedBodies,
  unknownPaths,
  wideBodies,
} from './heavy-bodies.ts';
import {
  batchesOfManyUsers,
  broadcasts,
  broadcastsInManyNetworks,
  inboxBatches,
  manyNetworks,
  parallelBroadcasts,
  reconnectingReaders,
  sessionLists,
  settledWaits,
  unreadResponses,
} from './heavy-responses.ts';
import { concurrentRenames, expiries, logins, longExpiries, renames, searches } from './heavy-work.ts';
import { endlessResponses } from './receivers.ts';
import { filteredStatus, removal, resumedStreams } from './stored-data.ts';

export const ATTACKS: readonly Attack[] = [
  inboxBatches,
  batchesOfManyUsers,
  sessionLists,
  settledWaits,
  filteredStatus,
  unreadResponses,
  reconnectingReaders,
  manyNetworks,
  broadcasts,
  parallelBroadcasts,
  broadcastsInManyNetworks,
  manyStreams,
  unauthenticatedBodies,
  memberBodies,
  unknownPaths,
  wideBodies,
  smallBodies,
  hookBodies,
  largeCompletions,
  largeSubscriptions,
  smallChunks,
  burstOfSmallChunks,
  leastChunks,
  burstOfRequests,
  sentAhead,
  repeatedParameters,
  manyHeaders,
  earlyResets,
  resetBatches,
  permissionChanges,
  logins,
  expiries,
  longExpiries,
  renames,
  concurrentRenames,
  searches,
  resumedStreams,
  removal,
  endlessResponses,
];
