// The only place that asks the machine what time it is; everything else takes a Clock from the Hub.

/** Milliseconds since the Unix epoch, UTC. */
export type Millis = number;

export type Clock = { now(): Millis };

export const systemClock: Clock = { now: () => Date.now() };
