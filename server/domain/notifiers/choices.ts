// The choices of a user who creates a notifier. The console shows the same choices.

export const FORMATS = ['webhook', 'ntfy', 'slack', 'discord', 'teams'] as const;
export type Format = (typeof FORMATS)[number];

/** As in the console's list "Needs you". `message` includes tasks addressed to a person. */
export const TRIGGERS = [
  'waiting_input',
  'blocked',
  'error',
  'stuck',
  'message',
  'failed',
  'unfetched',
  'expiring',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** The topic at the end of the path of an ntfy URL. */
export const TOPIC = /\/([-\w]{1,64})\/?$/;

/** How long a task may stay unfetched before it notifies; each choice in use is one more reader of task events. */
export const UNFETCHED_MINUTES: readonly number[] = [1, 2, 5, 10, 30, 60];
