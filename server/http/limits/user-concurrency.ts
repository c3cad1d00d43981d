// Limits how much expensive work of a user runs at a time; the rest queues in order. A queued request stays in memory,
// so the queue is bounded.
import { clientLeft, tooManyWaitingBatches, tooManyWaitingFigures, unavailable } from '../../domain/errors.ts';
import {
  MAX_BATCHES_AT_WORK,
  MAX_FIGURES_AT_WORK,
  MAX_WAITING_BATCH_BYTES,
  MAX_WAITING_BATCH_BYTES_OF_ALL,
  MAX_WAITING_FIGURES,
} from '../../domain/limits.ts';

export type UserConcurrency = {
  /**
   * Runs the work once a slot is free; `size` is what it adds to the queue meanwhile. Throws when the queue is full, and
   * `client_left` when `gone` is aborted before the work starts.
   */
  take<Result>(userId: string, size: number, work: () => Promise<Result>, gone?: AbortSignal): Promise<Result>;
};

type Limits = {
  maxAtWork: number;
  /** Limits of the total size of what is queued, and the errors beyond them. */
  ofUser: { max: number; error: () => Error };
  ofAll?: { max: number; error: () => Error };
};

/** For MCP batches, queued by the bytes of their requests. `memoryShare` scales the limits on machines with little memory. */
export function openBatchConcurrency(memoryShare = 1): UserConcurrency {
  return openUserConcurrency({
    maxAtWork: MAX_BATCHES_AT_WORK,
    ofUser: { max: MAX_WAITING_BATCH_BYTES, error: tooManyWaitingBatches },
    ofAll: {
      max: MAX_WAITING_BATCH_BYTES_OF_ALL * memoryShare,
      error: () => unavailable('too many batches are waiting; try again later'),
    },
  });
}

/** For requests that read the counters of a week, queued by their number. */
export function openFiguresConcurrency(): UserConcurrency {
  return openUserConcurrency({
    maxAtWork: MAX_FIGURES_AT_WORK,
    ofUser: { max: MAX_WAITING_FIGURES, error: tooManyWaitingFigures },
  });
}

type Waiter = { size: number; begin(): void };
type Queue = { running: number; size: number; waiting: Waiter[] };

function openUserConcurrency({ maxAtWork, ofUser, ofAll }: Limits): UserConcurrency {
  let sizeOfAll = 0;
  const ofUsers = new Map<string, Queue>();
  const queueOf = (userId: string): Queue => {
    const queue = ofUsers.get(userId) ?? { running: 0, size: 0, waiting: [] };
    ofUsers.set(userId, queue);
    return queue;
  };
  const resize = (queue: Queue, size: number): void => {
    queue.size += size;
    sizeOfAll += size;
  };
  const leave = (queue: Queue, waiter: Waiter): boolean => {
    const index = queue.waiting.indexOf(waiter);
    if (index < 0) return false;
    queue.waiting.splice(index, 1);
    resize(queue, -waiter.size);
    return true;
  };
  const begin = async (queue: Queue, size: number, gone?: AbortSignal): Promise<void> => {
    if (queue.running < maxAtWork) return void (queue.running += 1);
    if (queue.size + size > ofUser.max) throw ofUser.error();
    if (ofAll !== undefined && sizeOfAll + size > ofAll.max) throw ofAll.error();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { size, begin: resolve };
    const onGone = (): void => void (leave(queue, waiter) && reject(clientLeft()));
    queue.waiting.push(waiter);
    resize(queue, size);
    gone?.addEventListener('abort', onGone, { once: true });
    await promise.finally(() => gone?.removeEventListener('abort', onGone));
  };
  const end = (userId: string, queue: Queue): void => {
    const [next] = queue.waiting; // takes over the slot
    if (next === undefined) queue.running -= 1;
    else leave(queue, next);
    next?.begin();
    if (queue.running === 0) ofUsers.delete(userId);
  };
  return {
    take: async (userId, size, work, gone) => {
      if (gone?.aborted === true) throw clientLeft();
      const queue = queueOf(userId);
      await begin(queue, size, gone);
      try {
        return await work();
      } finally {
        end(userId, queue);
      }
    },
  };
}
