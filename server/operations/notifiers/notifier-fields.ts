// The input fields of a notifier, and the rules that concern several of them.
import * as v from 'valibot';
import type { Caller } from '../../domain/accounts/caller.ts';
import { invalidInput, lookupFailed, noAddress, privateAddress, tooManyUrlChecks } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import {
  DEFAULT_NOTIFIER_RATE,
  DEFAULT_UNFETCHED_MINUTES,
  MAX_NOTIFIER_NAME,
  MAX_NOTIFIER_RATE,
  MAX_NOTIFIER_URL,
  MAX_NOTIFYING_PER_USER,
} from '../../domain/limits.ts';
import { FORMATS, TRIGGERS, UNFETCHED_MINUTES, USUAL_TRIGGERS } from '../../domain/notifiers/choices.ts';
import type { NotifierSettings } from '../../domain/notifiers/notifier.ts';
import { topicOf } from '../../domain/notifiers/payloads.ts';
import { isTimeOfDay, isTimeZone } from '../../domain/notifiers/quiet-hours.ts';
import type { Hub } from '../../hub.ts';

const url = v.pipe(
  fields.text(MAX_NOTIFIER_URL, 1),
  v.check(isWebUrl, 'must be an http or https URL without a password, such as https://hooks.example.org/agents'),
  v.examples(['https://hooks.example.org/x']),
);

function isWebUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

const triggers = v.pipe(
  v.array(v.string('must be a string'), 'must be an array of strings'),
  v.check((items) => items.length <= TRIGGERS.length, `must have at most ${TRIGGERS.length} items`),
  v.check((items) => items.every(isTrigger), `may contain only ${TRIGGERS.join(', ')}`),
  v.metadata({ maxItems: TRIGGERS.length }),
  v.transform((items) => TRIGGERS.filter((trigger) => items.includes(trigger))),
);

function isTrigger(word: string): boolean {
  return TRIGGERS.some((trigger) => trigger === word);
}

const unfetchedMinutes = v.pipe(
  fields.wholeNumberFrom(1, 60),
  v.check((value) => UNFETCHED_MINUTES.includes(value), `must be one of ${UNFETCHED_MINUTES.join(', ')}`),
);
const timeOfDay = v.pipe(
  v.string('must be a time such as 22:00, or none'),
  v.check((value) => value === 'none' || isTimeOfDay(value), 'must be a time such as 22:00, or none'),
);
const timeZone = v.pipe(
  v.string('must be a time zone such as Europe/Berlin'),
  v.check(isTimeZone, 'must be a time zone such as Europe/Berlin'),
);

/** All optional; a notifier is created with the defaults of `NEW_NOTIFIER`. */
export const SETTINGS = {
  name: v.optional(fields.text(MAX_NOTIFIER_NAME)),
  triggers: v.optional(fields.described(triggers, `what to notify about: ${TRIGGERS.join(', ')}`)),
  unfetched_minutes: v.optional(
    fields.described(unfetchedMinutes, `minutes until an unfetched task notifies: ${UNFETCHED_MINUTES.join(', ')}`),
  ),
  rate_limit: v.optional(
    fields.described(
      fields.wholeNumberFrom(1, MAX_NOTIFIER_RATE),
      'maximum number of notifications in 10 minutes; the rest become one summary',
    ),
  ),
  quiet_from: v.optional(fields.described(timeOfDay, 'start of quiet hours, such as 22:00, or none')),
  quiet_until: v.optional(fields.described(timeOfDay, 'end of quiet hours')),
  time_zone: v.optional(fields.described(timeZone, 'time zone of the quiet hours')),
  enabled: v.optional(v.boolean('must be true or false')),
};
export const URL_FIELD = url;
export const FORMAT_FIELD = fields.oneOf(FORMATS);
export const notifierId = fields.name;

export const NEW_NOTIFIER: Omit<NotifierSettings, 'format'> = {
  name: '',
  triggers: USUAL_TRIGGERS,
  unfetched_minutes: DEFAULT_UNFETCHED_MINUTES,
  rate_limit: DEFAULT_NOTIFIER_RATE,
  quiet_from: null,
  quiet_until: null,
  time_zone: 'UTC',
  enabled: true,
};

type Given = {
  [Name in keyof typeof SETTINGS]?: v.InferOutput<(typeof SETTINGS)[Name]>;
};

/** The settings after a change. */
export function changed<Settings extends Omit<NotifierSettings, 'format'>>(before: Settings, given: Given): Settings {
  const after = {
    ...before,
    name: given.name ?? before.name,
    triggers: given.triggers ?? before.triggers,
    unfetched_minutes: given.unfetched_minutes ?? before.unfetched_minutes,
    rate_limit: given.rate_limit ?? before.rate_limit,
    quiet_from: timeOr(given.quiet_from, before.quiet_from),
    quiet_until: timeOr(given.quiet_until, before.quiet_until),
    time_zone: given.time_zone ?? before.time_zone,
    enabled: given.enabled ?? before.enabled,
  };
  if ((after.quiet_from === null) !== (after.quiet_until === null))
    throw invalidInput('quiet_from and quiet_until belong together: set both or neither');
  // A notifier stored before this rule can still be changed in other ways.
  const isGiven = given.quiet_from !== undefined || given.quiet_until !== undefined;
  if (isGiven && after.quiet_from !== null && after.quiet_from === after.quiet_until)
    throw invalidInput('quiet_from and quiet_until must differ; set both to none for no quiet hours');
  return after;
}

function timeOr(given: string | undefined, before: string | null): string | null {
  if (given === undefined) return before;
  return given === 'none' ? null : given;
}

/** Throws if the URL does not fit the format, or if the hub does not send to its host. */
export async function assertUsable(
  hub: Hub,
  { user_id }: Caller,
  { format, url: given }: { format: NotifierSettings['format']; url: string },
): Promise<void> {
  if (format === 'ntfy' && topicOf(given) === undefined)
    throw invalidInput('url must end with a topic, such as https://ntfy.example.org/your-topic');
  const problem = await contacting(hub, user_id, () => hub.outgoing.problemOf(given));
  if (problem === 'private_address') throw privateAddress();
  if (problem === 'no_address') throw noAddress();
  if (problem !== undefined) throw lookupFailed();
}

/** Throws if the user has too many URLs being checked or tested: each holds file descriptors while it lasts. */
export async function contacting<Result>(hub: Hub, userId: string, act: () => Promise<Result>): Promise<Result> {
  const end = hub.notifiers.startCheck(userId);
  if (end === undefined) throw tooManyUrlChecks(MAX_NOTIFYING_PER_USER);
  return act().finally(end);
}
