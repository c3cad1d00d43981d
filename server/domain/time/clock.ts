// The only place that asks the machine what time it is; everything else takes a Clock from the Hub. The time of a hub
// never runs backwards and never stands still, whatever is done to the clock of the machine.
import { MAX_PAST_MOMENT } from '../files/stored-values.ts';
import { CLOCK_JUMP_MS, STALL_MS } from '../limits.ts';

/** Milliseconds since the Unix epoch, UTC. */
export type Millis = number;

export type Clock = { now(): Millis };

/**
 * What the machine offers. The wall clock may be set; the monotonic one counts from anywhere, and on Linux not during a
 * sleep.
 */
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
  /** Called once when the wall clock shows a time after the year 9000, and again only after it was right. */
  onUnusable(): void;
};

/** Noticed by nobody, and makes up for an hour in four days. */
const CLOCK_SLEW = 0.01;

/** Nothing later can be stored, since records are followed by later ones for centuries. */
export function isUsable(moment: Millis): boolean {
  return moment <= MAX_PAST_MOMENT;
}

/**
 * Follows the wall clock wherever that is ahead. While it is behind or unusable, time goes on by the monotonic clock,
 * slower by CLOCK_SLEW so that the two meet again.
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
  return { now, ahead: () => Math.max(0, now() - wall()), keepWatch: () => void (now(), (isWatched = true)) };
}
