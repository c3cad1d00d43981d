// The choices of a user who creates a notifier. The console shows the same choices.

export const FORMATS = ['webhook', 'ntfy', 'slack', 'discord', 'teams'] as const;
export type Format = (typeof FORMATS)[number];

/**
 * As in the console's list "Needs you". `message` includes tasks addressed to a person, and `result` is a reply without a
 * failure.
 */
export const TRIGGERS = [
  'waiting_input',
  'blocked',
  'error',
  'stuck',
  'message',
  'result',
  'failed',
  'unfetched',
  'expiring',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Those of a new notifier. Results need nobody, and those of many agents would use up the rate limit. */
export const USUAL_TRIGGERS: readonly Trigger[] = TRIGGERS.filter((trigger) => trigger !== 'result');

/** The topic at the end of the path of an ntfy URL. */
export const TOPIC = /\/([-\w]{1,64})\/?$/;

/** How long a task may stay unfetched before it notifies; each choice in use is one more reader of task events. */
export const UNFETCHED_MINUTES: readonly number[] = [1, 2, 5, 10, 30, 60];
