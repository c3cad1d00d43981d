// Limits how many batches of a user run at a time; the rest queue in order. A queued batch holds its request in memory,
// so the queue is bounded in bytes, per user and in total.
import { tooManyWaitingBatches, unavailable } from '../../domain/errors.ts';
import { MAX_BATCHES_AT_WORK, MAX_WAITING_BATCH_BYTES, MAX_WAITING_BATCH_BYTES_OF_ALL } from '../../domain/limits.ts';

export type UserConcurrency = {
  /** Runs the work once a slot is free; `bytes` is the size of its request. Throws when the queue is full. */
  take<Result>(userId: string, bytes: number, work: () => Promise<Result>): Promise<Result>;
};

type Queue = { running: number; waitingBytes: number; waiting: { bytes: number; begin(): void }[] };

/** `memoryShare` scales the limits on machines with little memory. */
export function openUserConcurrency(memoryShare = 1): UserConcurrency {
  let allWaitingBytes = 0;
  const ofUsers = new Map<string, Queue>();
  const queueOf = (userId: string): Queue => {
    const queue = ofUsers.get(userId) ?? { running: 0, waitingBytes: 0, waiting: [] };
    ofUsers.set(userId, queue);
    return queue;
  };
  const begin = async (queue: Queue, bytes: number): Promise<void> => {
    if (queue.running < MAX_BATCHES_AT_WORK) return void (queue.running += 1);
    if (queue.waitingBytes + bytes > MAX_WAITING_BATCH_BYTES) throw tooManyWaitingBatches();
    if (allWaitingBytes + bytes > MAX_WAITING_BATCH_BYTES_OF_ALL * memoryShare) {
      throw unavailable('too many batches are waiting; try again later');
    }
    queue.waitingBytes += bytes;
    allWaitingBytes += bytes;
    await new Promise<void>((resolve) => queue.waiting.push({ bytes, begin: resolve }));
  };
  const end = (userId: string, queue: Queue): void => {
    const next = queue.waiting.shift(); // takes over the slot
    if (next === undefined) queue.running -= 1;
    else [queue.waitingBytes, allWaitingBytes] = [queue.waitingBytes - next.bytes, allWaitingBytes - next.bytes];
    next?.begin();
    if (queue.running === 0) ofUsers.delete(userId);
  };
  return {
    take: async (userId, bytes, work) => {
      const queue = queueOf(userId);
      await begin(queue, bytes);
      try {
        return await work();
      } finally {
        end(userId, queue);
      }
    },
  };
}
