// The time of the database server, which the hubs on it share.
import type { Millis, TimeSource } from '../../../domain/time/clock.ts';

export type ServerTime = TimeSource & {
  /** Call with the time that the server has just shown. */
  follow(now: Millis): void;
};

/** Less is the delay of an answer. */
const TOLERATED_MS = 50;

/** The wall clock of the server; the monotonic clock is that of this machine. */
export function serverTime({ wall, monotonic }: TimeSource, now: Millis): ServerTime {
  let offset = now - wall();
  return {
    wall: () => wall() + offset,
    monotonic,
    follow: (shown) => {
      const measured = shown - wall();
      if (Math.abs(measured - offset) > TOLERATED_MS) offset = measured;
    },
  };
}
