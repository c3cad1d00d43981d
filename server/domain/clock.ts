// The only place that asks the machine what time it is; everything else takes a Clock from the Hub. The time of a hub never
// runs backwards and never stands still, whatever is done to the clock of the machine.
import { CLOCK_JUMP_MS, STALL_MS } from './limits.ts';

/** Milliseconds since the Unix epoch, UTC. */
export type Millis = number;

export type Clock = { now(): Millis };

/** What the machine offers. The wall clock may be set; the monotonic one counts from anywhere, and on Linux not during a sleep. */
export type TimeSource = { wall(): Millis; monotonic(): number };

export const machineTime: TimeSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The wall clock alone, for programs that keep nothing. */
export const systemClock: Clock = { now: machineTime.wall };

export type HubClock = Clock & {
  /** How far the hub is ahead of the wall clock; 0 while it follows it. */
  ahead(): Millis;
  /** From now on somebody asks for the time every second: where nobody did for long, the machine slept. */
  keepWatch(): void;
};

export type HubClockOptions = {
  /** Where time goes on if the wall clock is behind it. */
  notBefore?: Millis | undefined;
  /** Called when time has moved on in one step: the machine slept, or its clock was set forward. */
  onJump(milliseconds: Millis): void;
  /** Called once when the wall clock falls behind the hub, and again only after it had caught up. */
  onAhead(milliseconds: Millis): void;
};

/** Noticed by nobody, and makes up for an hour in four days. */
const CLOCK_SLEW = 0.01;

/**
 * Follows the wall clock wherever that is ahead. While it is behind, time goes on by the monotonic clock, slower by
 * CLOCK_SLEW so that the two meet again.
 */
export function openHubClock({ wall, monotonic }: TimeSource, { notBefore = 0, onJump, onAhead }: HubClockOptions): HubClock {
  let counted = monotonic();
  let moment = Math.max(wall(), notBefore);
  let isWatched = false;
  let isAhead = false;
  const noteAhead = (by: Millis): void => {
    const wasAhead = isAhead;
    isAhead = by > CLOCK_JUMP_MS;
    if (isAhead && !wasAhead) onAhead(by);
  };
  const now = (): Millis => {
    const [present, count] = [wall(), monotonic()];
    const elapsed = count - counted;
    const next = Math.max(present, moment + elapsed * (1 - CLOCK_SLEW));
    const step = next - moment;
    [moment, counted] = [next, count];
    if (step - elapsed > CLOCK_JUMP_MS || (isWatched && elapsed > STALL_MS)) onJump(step);
    noteAhead(next - present);
    return Math.floor(moment);
  };
  return { now, ahead: () => Math.max(0, now() - wall()), keepWatch: () => void (now(), isWatched = true) };
}
