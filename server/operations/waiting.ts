// Waits for a condition. A waiter checks on arrival, sleeps until a relevant commit, and checks again; in between it
// costs no database reads. It ends early when its client disconnects or its access is revoked.
import type { Opener } from '../domain/accounts/caller.ts';
import { permissionDenied } from '../domain/errors.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Topic } from '../events/broker.ts';
import type { Hub } from '../hub.ts';
import { type AccessState, accessStateOf, watchAccess } from './access/watch-access.ts';
import type { Context } from './operation.ts';

export type Wait<T> = {
  topic: Topic;
  milliseconds: number;
  look: () => Promise<T>;
  isDone: (seen: T) => boolean;
  /** When to check again without a commit, such as when a task is about to expire. */
  lookAgainAt?: (seen: T) => Millis | undefined;
};

/**
 * Returns the last state seen, whether the condition was met or the time ran out. Throws if access is revoked first.
 */
export async function waitUntil<T>(
  hub: Hub,
  caller: Opener,
  { gone }: Pick<Context, 'gone'>,
  wait: Wait<T>,
): Promise<T> {
  return wait.milliseconds === 0 ? wait.look() : sleepUntil(hub, caller, gone, wait);
}

async function sleepUntil<T>(
  hub: Hub,
  caller: Opener,
  gone: AbortSignal | undefined,
  { topic, milliseconds, look, isDone, lookAgainAt }: Wait<T>,
): Promise<T> {
  const wakeup = openWakeup();
  const stops = [hub.broker.subscribe(topic, wakeup.wake)];
  let isRevoked = false;
  gone?.addEventListener('abort', wakeup.close);
  const timer = setTimeout(wakeup.close, milliseconds);
  try {
    const { state, stop } = await watchAccess(hub, caller, () => {
      isRevoked = true;
      wakeup.close();
    });
    stops.push(stop);
    assertMayWait(state);
    if (state === 'role changed') wakeup.close();
    let seen = await look();
    while (!isDone(seen) && !wakeup.isClosed() && !gone?.aborted) {
      await wakeup.next(untilThen(hub, lookAgainAt?.(seen)));
      if (!isRevoked) seen = await look();
    }
    if (isRevoked) assertMayWait(await accessStateOf(hub, caller));
    return seen;
  } finally {
    clearTimeout(timer);
    stops.forEach((stop) => stop());
    gone?.removeEventListener('abort', wakeup.close);
  }
}

// A waiting tool has already started its response, so a refusal is reported as a tool error.
function assertMayWait(state: AccessState): void {
  if (state === 'token lost' || state === 'network lost')
    throw permissionDenied('you no longer have access to this network; ask its owner');
}

// Adds 1 ms, since a timer and the clock may round the same moment differently.
function untilThen(hub: Hub, moment: Millis | undefined): number | undefined {
  return moment === undefined ? undefined : Math.max(1, moment - hub.clock.now() + 1);
}

/** A wakeup that is kept if it comes while nothing waits. */
function openWakeup() {
  let isDue = false;
  let isClosed = false;
  let resume = (): void => {};
  const wake = (): void => {
    isDue = true;
    resume();
  };
  return {
    wake,
    close: (): void => {
      isClosed = true;
      wake();
    },
    isClosed: () => isClosed,
    next: async (atMost?: number): Promise<void> => {
      const timer = atMost === undefined ? undefined : setTimeout(wake, atMost);
      if (!isDue) await new Promise<void>((resolve) => (resume = resolve));
      clearTimeout(timer);
      isDue = false;
    },
  };
}
