// The rules for values that the hub computes with, parses or compares: ranges of numbers, formats of hashes and keys,
// JSON. A database or an import with any other value is rejected, since every read of it would fail.

/** A whole number from `least` to `most`. */
export type Range = { kind: 'range'; least: number; most: number };
/** Text of `bytes` bytes that matches one of `globs`, which consist of literal characters and classes only. */
export type Form = { kind: 'form'; bytes: number; globs: readonly string[] };
/** JSON whose top level is an object or array; `isOneLine` if it becomes a line of an event stream. */
export type Json = { kind: 'json'; top: 'object' | 'array'; isOneLine?: true };

/** Public ids hold a sequence number in 48 bits. */
export const MAX_SEQUENCE = 2 ** 47;
/** The end of the year 9999, the last year a timestamp can show. */
const MAX_MOMENT = 253_402_300_799_999;
/**
 * The year 9000: the hub's clock continues from its newest record and must be able to store later times for centuries.
 */
export const MAX_PAST_MOMENT = 221_845_392_000_000;
/** Maximum attempt number, which is encrypted into ids as 32 bits. */
const MAX_ATTEMPT = 2 ** 31 - 1;

const BCRYPT_BYTES = 60;
const bcryptCharacters = '[./A-Za-z0-9]'.repeat(53);

/** A bcrypt hash that takes at most a second to check: each step of the cost, 4 to 14, doubles the time. */
const PASSWORD_HASH: Form = {
  kind: 'form',
  bytes: BCRYPT_BYTES,
  globs: ['$2[aby]$0[4-9]$', '$2[aby]$1[0-4]$'].map((start) => start + bcryptCharacters),
};

const hex = (length: number): Form => ({ kind: 'form', bytes: length, globs: ['[0-9a-f]'.repeat(length)] });

const FORMS: Readonly<Record<string, Form>> = {
  'hub.epoch': hex(12),
  'hub.id_key': hex(32),
  'users.password_hash': PASSWORD_HASH,
  'tokens.token_hash': hex(64),
  'invites.code_hash': hex(64),
};

const JSONS: Readonly<Record<string, Json>> = {
  'events.data': { kind: 'json', top: 'object', isOneLine: true },
  'idempotency.answer': { kind: 'json', top: 'object' },
  'completions.artifacts': { kind: 'json', top: 'array' },
  'notifiers.triggers': { kind: 'json', top: 'array' },
  'deliveries.need': { kind: 'json', top: 'object' },
  'deliveries.counts': { kind: 'json', top: 'object' },
  'sessions.channels': { kind: 'json', top: 'array' },
};

const FUTURE_COLUMNS = new Set(['expires_at', 'trial_ends_at']);

/** The range of an integer column. */
export function rangeOf(column: string): Range {
  if (column === 'seq' || column.endsWith('_seq')) return range(1, MAX_SEQUENCE);
  if (column.endsWith('_at')) return range(0, FUTURE_COLUMNS.has(column) ? MAX_MOMENT : MAX_PAST_MOMENT);
  if (column === 'access_version') return range(0, MAX_SEQUENCE);
  if (column === 'attempt') return range(1, MAX_ATTEMPT);
  return range(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
}

const range = (least: number, most: number): Range => ({ kind: 'range', least, most });

export function formOf(table: string, column: string): Form | undefined {
  return FORMS[`${table}.${column}`];
}

export function jsonOf(table: string, column: string): Json | undefined {
  return JSONS[`${table}.${column}`];
}

function hasForm({ globs }: Form, text: string): boolean {
  return globs.some((glob) => new RegExp(`^${glob.replaceAll('$', '\\$')}$`).test(text));
}

export function isPasswordHash(text: string): boolean {
  return hasForm(PASSWORD_HASH, text);
}

export function isJson({ top, isOneLine }: Json, text: string): boolean {
  if (isOneLine === true && /[\r\n]/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return top === 'array'
      ? Array.isArray(value)
      : typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/**
 * Returns what is wrong with a value, or undefined if nothing is. The database itself checks the types of its columns.
 */
export function wrongValue(table: string, column: string, value: unknown): string | undefined {
  const form = formOf(table, column);
  const json = jsonOf(table, column);
  if (typeof value === 'number' && isOutside(rangeOf(column), value)) return outsideOf(table, column);
  if (typeof value === 'string' && form !== undefined && !hasForm(form, value)) return malformed(table, column);
  if (typeof value === 'string' && json !== undefined && !isJson(json, value)) return notJson(table, column);
  return undefined;
}

const isOutside = ({ least, most }: Range, value: number): boolean => value < least || value > most;

export function outsideOf(table: string, column: string): string {
  const { least, most } = rangeOf(column);
  return `${table}.${column} is not from ${least} to ${most}`;
}

export const malformed = (table: string, column: string): string =>
  `${table}.${column} does not have the format that agenthub writes`;

export const notJson = (table: string, column: string): string =>
  `${table}.${column} is not the JSON that agenthub writes`;
