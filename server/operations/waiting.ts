// Waiting for something to become true. A waiter looks when it comes, sleeps until a commit concerns it, and looks
// again; it costs the database nothing in between. It ends early when its client is gone or its right is revoked.
import type { Opener } from '../domain/accounts/caller.ts';
import { permissionDenied } from '../domain/errors.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Topic } from '../events/broker.ts';
import type { Hub } from '../hub.ts';
import { type Standing, standingOf, watchRights } from './access/reauthorize.ts';

export type Wait<T> = {
  topic: Topic;
  milliseconds: number;
  look: () => Promise<T>;
  isDone: (seen: T) => boolean;
  /** When to look again though nothing was committed, as with a task that is about to expire. */
  lookAgainAt?: (seen: T) => Millis | undefined;
};

/** What was last seen: done, or not within the time. Throws when the right to see it ends first. */
export async function waitUntil<T>(hub: Hub, caller: Opener, wait: Wait<T>): Promise<T> {
  return wait.milliseconds === 0 ? wait.look() : sleepUntil(hub, caller, wait);
}

async function sleepUntil<T>(
  hub: Hub,
  caller: Opener,
  { topic, milliseconds, look, isDone, lookAgainAt }: Wait<T>,
): Promise<T> {
  const bell = openWakeup();
  const stops = [hub.broker.subscribe(topic, bell.ring)];
  let isRevoked = false;
  caller.gone?.addEventListener('abort', bell.close);
  const timer = setTimeout(bell.close, milliseconds);
  try {
    const { standing, stop } = await watchRights(hub, caller, () => {
      isRevoked = true;
      bell.close();
    });
    stops.push(stop);
    assertMayWait(standing);
    if (standing === 'role changed') bell.close();
    let seen = await look();
    while (!isDone(seen) && !bell.isClosed() && !caller.gone?.aborted) {
      await bell.rung(untilThen(hub, lookAgainAt?.(seen)));
      if (!isRevoked) seen = await look();
    }
    if (isRevoked) assertMayWait(await standingOf(hub, caller));
    return seen;
  } finally {
    clearTimeout(timer);
    stops.forEach((stop) => stop());
    caller.gone?.removeEventListener('abort', bell.close);
  }
}

// A tool that waits has begun its answer: what it is refused is told as an error of the tool.
function assertMayWait(standing: Standing): void {
  if (standing === 'token lost' || standing === 'network lost')
    throw permissionDenied('your right to this network ended; ask its owner for access');
}

// One millisecond more: the moment itself may be counted differently by a timer and by the clock.
function untilThen(hub: Hub, moment: Millis | undefined): number | undefined {
  return moment === undefined ? undefined : Math.max(1, moment - hub.clock.now() + 1);
}

/** A bell that remembers being rung while nobody listened. */
function openWakeup() {
  let isRung = false;
  let isClosed = false;
  let wake = (): void => {};
  const ring = (): void => {
    isRung = true;
    wake();
  };
  return {
    ring,
    close: (): void => {
      isClosed = true;
      ring();
    },
    isClosed: () => isClosed,
    rung: async (atMost?: number): Promise<void> => {
      const timer = atMost === undefined ? undefined : setTimeout(ring, atMost);
      if (!isRung) await new Promise<void>((resolve) => (wake = resolve));
      clearTimeout(timer);
      isRung = false;
    },
  };
}
