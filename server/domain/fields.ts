// The input fields that operations share, with one schema and one description each. Validation, the JSON schemas of
// tools, the OpenAPI document and the reference are generated from them.
import * as v from 'valibot';
import { isUsername } from './accounts/user.ts';
import * as limits from './limits.ts';
import { codePoints } from './text/characters.ts';
import { beginningOf, momentOf } from './time/time.ts';

/** Text of `min` to `max` code points that the database can store: no U+0000, no lone surrogate. */
export function text(max: number, min = 0) {
  return v.pipe(
    v.string('must be a string'),
    v.check((value) => !value.includes('\0'), 'must not contain U+0000'),
    v.check((value) => value.isWellFormed(), 'must be well-formed Unicode (no lone surrogates)'),
    v.check(
      (value) => value.length >= min && codePoints(value) >= min,
      min === 1 ? 'must not be empty' : `must have at least ${min} characters`,
    ),
    v.check((value) => value.length <= max || codePoints(value) <= max, `must have at most ${max} characters`),
    v.metadata({ minLength: min, maxLength: max }),
  );
}

/** A JSON array serialized as a string, such as `channels`; an empty string for none. */
export function jsonArray(max: number) {
  return v.pipe(
    text(max),
    v.check((value) => value === '' || isJsonArray(value), 'must be a JSON array in a string, such as ["x"]'),
    v.examples(['["x"]']),
  );
}

function isJsonArray(value: string): boolean {
  try {
    return Array.isArray(JSON.parse(value));
  } catch {
    return false;
  }
}

export function numberFrom(min: number, max: number) {
  return v.pipe(
    v.number('must be a number'),
    v.check(
      (value) => Number.isFinite(value) && value >= min && value <= max,
      `must be a number from ${min} to ${max}`,
    ),
    v.metadata({ minimum: min, maximum: max }),
  );
}

export function numberAboveZero(max: number) {
  return v.pipe(
    v.number('must be a number'),
    v.check((value) => value > 0 && value <= max, `must be a number above 0, at most ${max}`),
    v.metadata({ exclusiveMinimum: 0, maximum: max }),
  );
}

export function wholeNumberFrom(min: number, max: number) {
  return v.pipe(
    v.number('must be a whole number'),
    v.check(
      (value) => Number.isInteger(value) && value >= min && value <= max,
      `must be a whole number from ${min} to ${max}`,
    ),
    v.metadata({ integer: true, minimum: min, maximum: max }),
  );
}

export function oneOf<const Words extends readonly string[]>(words: Words) {
  return v.picklist(words, `must be one of ${words.join(', ')}`);
}

/** A date, or `never`. */
export const dateOrNever = v.pipe(
  v.string('must be a date such as 2027-01-31, or never'),
  v.check(
    (value) => value === 'never' || beginningOf(value) !== undefined,
    'must be a date such as 2027-01-31, or never',
  ),
);

/** The same schema with a description for the reference and the tool list. */
export function described<Schema extends v.GenericSchema>(schema: Schema, description: string) {
  return v.pipe(schema, v.description(description));
}

/** A timestamp in the form of records, converted to milliseconds. */
export const moment = v.pipe(
  v.string('must be a timestamp'),
  v.check((value) => momentOf(value) !== undefined, 'must be a timestamp such as 2026-01-31 23:59:59 (UTC)'),
  v.transform((value) => momentOf(value) ?? 0),
  v.description('UTC, YYYY-MM-DD HH:MM:SS'),
);

/** A boolean in a query string, where every value is text. */
export const yesOrNo = v.pipe(
  oneOf(['true', 'false']),
  v.transform((word) => word === 'true'),
);

/** A search for a rare text can take seconds in a long list. */
export const partial = v.optional(
  described(yesOrNo, 'whether a page may end early, before it is full; next_cursor continues the search'),
);

export const name = text(limits.MAX_NAME, 1);
export const username = v.pipe(
  text(limits.MAX_USERNAME, limits.MIN_USERNAME),
  v.check(isUsername, 'must be letters, digits, underscores or Chinese characters'),
);
export const attribute = text(limits.MAX_ATTRIBUTE);
export const longText = text(limits.MAX_TEXT, 1);
export const priority = oneOf(['high', 'normal', 'low']);

export const alias = described(name, 'agent alias');
export const targetAlias = described(name, 'alias of the recipient');
export const taskId = described(name, 'task_id or a message id of the task');
export const networkId = v.optional(described(name, 'one of your networks; with a network token, its own'));
/** The actor of a change to a task, stored in its events. Without a description, to keep the tool list short. */
export const actor = v.optional(name, 'hub');
/** The sender, who receives the replies. */
export const fromSession = v.optional(described(name, 'your alias'), 'hub');
export const context = v.optional(text(limits.MAX_TEXT));
export const ttlSeconds = v.optional(wholeNumberFrom(1, limits.MAX_TTL_SECONDS), limits.DEFAULT_TTL_SECONDS);
export const idempotencyKey = v.optional(
  described(text(limits.MAX_IDEMPOTENCY_KEY, 1), 'same key within 24 h: same result, done once'),
);

/** `limit` with its default. A value above the maximum is an error. */
export const limit = (fallback: number, max: number) => v.optional(wholeNumberFrom(1, max), fallback);
export const cursor = v.optional(described(text(limits.MAX_CURSOR, 1), 'next_cursor of the previous page'));
