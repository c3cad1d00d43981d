// The moments of a turn at which a client runs a hook, and what each says about the session.
import type { SessionStatus } from '../session.ts';

/**
 * A prompt is submitted, a tool has run, a tool has failed in a client that then drops what a hook adds, the turn ends,
 * the turn is interrupted by the person or an error, the session ends.
 */
export type Moment = 'prompt' | 'tool' | 'failed tool' | 'turn end' | 'interruption' | 'session end';

/** The moment of each event, by the client's name for the event. */
export type Moments = Readonly<Record<string, Moment>>;

/** Undefined for events that are only heartbeats. */
export function momentOf(moments: Moments, event: string): Moment | undefined {
  return Object.hasOwn(moments, event) ? moments[event] : undefined;
}

const STATUS_AT: Readonly<Record<Moment, SessionStatus>> = {
  prompt: 'working',
  tool: 'working',
  'failed tool': 'working',
  'turn end': 'idle',
  interruption: 'idle',
  'session end': 'offline',
};

/** A turn that the response extends does not end. */
export function statusAt(moment: Moment, isExtended: boolean): SessionStatus {
  return isExtended ? 'working' : STATUS_AT[moment];
}
