// Turns of users: of each user so much work runs at a time, and the rest waits in its order. What waits holds its
// request, so it is bounded in bytes, of each user and of all.
import { tooManyWaitingBatches, unavailable } from '../../domain/errors.ts';
import { MAX_BATCHES_AT_WORK, MAX_WAITING_BATCH_BYTES, MAX_WAITING_BATCH_BYTES_OF_ALL } from '../../domain/limits.ts';

export type UserConcurrency = {
  /** Runs the work when it is its turn; `bytes` is the size of its request. Throws when too much of the user waits. */
  take<Result>(userId: string, bytes: number, work: () => Promise<Result>): Promise<Result>;
};

type Turns = { atWork: number; waitingBytes: number; waiting: { bytes: number; begin(): void }[] };

/** `memoryShare` scales the limits on machines with little memory. */
export function openUserConcurrency(memoryShare = 1): UserConcurrency {
  let allWaitingBytes = 0;
  const ofUsers = new Map<string, Turns>();
  const turnsOf = (userId: string): Turns => {
    const turns = ofUsers.get(userId) ?? { atWork: 0, waitingBytes: 0, waiting: [] };
    ofUsers.set(userId, turns);
    return turns;
  };
  const begin = async (turns: Turns, bytes: number): Promise<void> => {
    if (turns.atWork < MAX_BATCHES_AT_WORK) return void (turns.atWork += 1);
    if (turns.waitingBytes + bytes > MAX_WAITING_BATCH_BYTES) throw tooManyWaitingBatches();
    if (allWaitingBytes + bytes > MAX_WAITING_BATCH_BYTES_OF_ALL * memoryShare) {
      throw unavailable('too many batches are waiting; try again later');
    }
    turns.waitingBytes += bytes;
    allWaitingBytes += bytes;
    await new Promise<void>((resolve) => turns.waiting.push({ bytes, begin: resolve }));
  };
  const end = (userId: string, turns: Turns): void => {
    const next = turns.waiting.shift(); // it takes over the turn that ends
    if (next === undefined) turns.atWork -= 1;
    else [turns.waitingBytes, allWaitingBytes] = [turns.waitingBytes - next.bytes, allWaitingBytes - next.bytes];
    next?.begin();
    if (turns.atWork === 0) ofUsers.delete(userId);
  };
  return {
    take: async (userId, bytes, work) => {
      const turns = turnsOf(userId);
      await begin(turns, bytes);
      try {
        return await work();
      } finally {
        end(userId, turns);
      }
    },
  };
}
