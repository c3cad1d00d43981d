// The time of the database server, which the hubs on it share.
import type { Millis, TimeSource } from '../../../domain/time/clock.ts';

export type ServerTime = TimeSource & {
  /** Call with the time that the server has just shown. */
  follow(now: Millis): void;
};

/** Less is the delay of an answer. */
const TOLERATED_MS = 50;

/** Counted by the monotonic clock of this machine: a change of its wall clock must not show until the next answer. */
export function serverTime({ monotonic }: TimeSource, now: Millis): ServerTime {
  let offset = now - monotonic();
  return {
    wall: () => Math.floor(monotonic() + offset),
    monotonic,
    follow: (shown) => {
      const measured = shown - monotonic();
      if (Math.abs(measured - offset) > TOLERATED_MS) offset = measured;
    },
  };
}
