// The table of errors: every code that a maker in domain/errors.ts makes, with its status over REST and its own
// message.
import * as errors from '../../server/domain/errors.ts';
import { HubError } from '../../server/domain/errors.ts';
import { statusOf } from '../../server/http/error-statuses.ts';
import { table } from './table.ts';

/** What a code means that has no message, or more than one. */
const MEANINGS: Readonly<Record<string, string>> = {
  invalid_request: 'a member is missing, of the wrong type, over its limit or against a rule; the message names it',
  unauthorized: 'no token, or one that is unknown, revoked or over',
  invalid_credentials: 'the username or the password is wrong',
  'task is terminal':
    'the task is settled and cannot be changed; or the task was reassigned or retried and your attempt no longer counts: stop working on it',
  forbidden: 'the caller may not do this; the message says who may',
  permission_denied: 'the role of the token does not allow this, or it is not a token of that network',
  not_found: 'there is no such thing, or no such path',
  method_not_allowed: 'the path takes another method; `Allow` names it',
  payload_too_large: 'the body of the request is larger than this path takes; the message says how large it may be',
  unsupported_media_type: 'the body must be JSON in UTF-8, uncompressed',
  rate_limited: 'too many for now; `Retry-After` says when to come again',
  quota_exceeded: 'a quota of the hub is used up; the message names it, its value and the configuration key',
  internal_error: 'something went wrong inside the hub; its log says what',
  unavailable: 'not now; `Retry-After` says when to come again',
};

const NOT_MADE_THERE = ['internal_error'];

export function errorTable(): string {
  const messages = messagesByCode();
  for (const code of NOT_MADE_THERE) messages.set(code, '');
  const rows = [...messages].map(([code, message]) => ({
    code,
    status: statusOf(code),
    means: MEANINGS[code] ?? message,
  }));
  rows.sort((one, other) => one.status - other.status);
  return table(
    ['error', 'status', 'means'],
    rows.map(({ code, status, means }) => [`\`${code}\``, String(status), means]),
  );
}

/** Every maker is called with X for whatever it wants to know. */
function messagesByCode(): Map<string, string> {
  const messages = new Map<string, string>();
  for (const [name, maker] of Object.entries(errors)) {
    if (!/^[a-z]/.test(name)) continue;
    const made: unknown = Reflect.apply(maker, undefined, ['X', 'X']);
    if (!(made instanceof HubError)) throw new Error(`${name} makes no HubError`);
    if (made.message === 'X' && MEANINGS[made.code] === undefined)
      throw new Error(`the reference does not say what ${made.code} means`);
    const told = messages.get(made.code) ?? made.message;
    if (made.message !== told && MEANINGS[made.code] === undefined)
      throw new Error(`of two messages of ${made.code} the reference cannot choose one`);
    messages.set(made.code, told);
  }
  return messages;
}
