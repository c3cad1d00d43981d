// Unlimited memory for the responses of a batch.
import type { Room } from '../../server/mcp/late-answer.ts';

export const FREE_ROOM: Room = {
  take: () => undefined,
  pressed: new AbortController().signal,
  pace: async () => {},
  isAbandoned: () => false,
  inTurn: (work) => work(),
};
