// The only place that reads the system clock; everything else takes a Clock from the Hub. Hub time never runs backwards
// or stops, regardless of changes to the system clock.
import { MAX_PAST_MOMENT } from '../files/stored-values.ts';
import { CLOCK_JUMP_MS, STALL_MS } from '../limits.ts';

/** Milliseconds since the Unix epoch, UTC. */
export type Millis = number;

export type Clock = { now(): Millis };

/**
 * The system clocks. The wall clock can be set; the monotonic clock starts anywhere and, on Linux, stops during sleep.
 */
export type TimeSource = { wall(): Millis; monotonic(): number };

export const machineTime: TimeSource = { wall: () => Date.now(), monotonic: () => performance.now() };

/** The wall clock alone, for programs that store nothing. */
export const systemClock: Clock = { now: machineTime.wall };

export type HubClock = Clock & {
  /** How far the hub's clock is ahead of the wall clock; 0 if it is not. */
  ahead(): Millis;
  /** Declares that the time is read every second from now on, so a long gap means that the machine slept. */
  keepWatch(): void;
};

export type HubClockOptions = {
  /** The earliest start time, if the wall clock is behind it. */
  notBefore?: Millis | undefined;
  /** Called when time jumps forward: the machine slept, or its clock was set forward. */
  onJump(milliseconds: Millis): void;
  /** Called once when the wall clock falls behind the hub's clock, and again only after it has caught up. */
  onAhead(milliseconds: Millis): void;
  /** Called once when the wall clock is past the year 9000, and again only after it has recovered. */
  onUnusable(): void;
};

/** Too small to notice, and corrects one hour within four days. */
const CLOCK_SLEW = 0.01;

/** Later times cannot be stored, because later records must be able to follow for centuries. */
export function isUsable(moment: Millis): boolean {
  return moment <= MAX_PAST_MOMENT;
}

/**
 * Follows the wall clock if it is ahead. While it is behind or unusable, time advances with the monotonic clock, slower
 * by CLOCK_SLEW, so that the two converge.
 */
export function openHubClock(
  { wall, monotonic }: TimeSource,
  { notBefore = 0, onJump, onAhead, onUnusable }: HubClockOptions,
): HubClock {
  let wasUsable = true;
  let counted = monotonic();
  let moment = Math.max(wall(), notBefore);
  let isWatched = false;
  let isAhead = false;
  const noteAhead = (by: Millis): void => {
    const wasAhead = isAhead;
    isAhead = by > CLOCK_JUMP_MS;
    if (isAhead && !wasAhead) onAhead(by);
  };
  const noteUsable = (isUsableNow: boolean): void => {
    if (wasUsable && !isUsableNow) onUnusable();
    wasUsable = isUsableNow;
  };
  const now = (): Millis => {
    const [present, count] = [wall(), monotonic()];
    const elapsed = count - counted;
    const counting = moment + elapsed * (1 - CLOCK_SLEW);
    const next = isUsable(present) ? Math.max(present, counting) : counting;
    const step = next - moment;
    [moment, counted] = [next, count];
    if (step - elapsed > CLOCK_JUMP_MS || (isWatched && elapsed > STALL_MS)) onJump(step);
    noteAhead(next - present);
    noteUsable(isUsable(present));
    return Math.floor(moment);
  };
  const keepWatch = (): void => {
    now();
    isWatched = true;
  };
  return { now, ahead: () => Math.max(0, now() - wall()), keepWatch };
}
