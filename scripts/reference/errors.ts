// The table of errors: every code that a function in domain/errors.ts creates, with its REST status and its message.
import * as errors from '../../server/domain/errors.ts';
import { HubError } from '../../server/domain/errors.ts';
import { TROUBLE_KINDS, TROUBLES } from '../../server/domain/health/troubles.ts';
import { statusOf } from '../../server/http/error-statuses.ts';
import { table } from './markdown.ts';

/** The meanings of codes without a message, or with several. */
const MEANINGS: Readonly<Record<string, string>> = {
  invalid_request: 'a member is missing, of the wrong type, over its limit or against a rule; the message names it',
  unauthorized: 'the token is missing, unknown, revoked or expired',
  invalid_credentials: 'the username or the password is wrong',
  'task is terminal':
    'the task is settled and cannot be changed; or the task was reassigned or retried and your attempt no longer counts: stop working on it',
  forbidden: 'the caller is not allowed to do this; the message says who is',
  permission_denied: 'the role of the token does not allow this, or it is not a token of that network',
  not_found: 'the resource or the path does not exist',
  method_not_allowed: 'the path supports other methods; `Allow` lists them',
  payload_too_large: 'the request body is too large for this path; the message names the limit',
  unsupported_media_type: 'the body must be JSON in UTF-8, uncompressed',
  rate_limited: 'too many requests; retry after `Retry-After`',
  quota_exceeded: 'a quota of the hub is exhausted; the message names it, its value and the configuration key',
  internal_error: 'an error inside the hub; its log has the details',
  unavailable: 'temporarily unavailable; retry after `Retry-After`',
};

const CREATED_ELSEWHERE = ['internal_error'];

export function errorTable(): string {
  const messages = messagesByCode();
  for (const code of CREATED_ELSEWHERE) messages.set(code, '');
  for (const kind of TROUBLE_KINDS)
    if (TROUBLES[kind].isUnready && !messages.has(kind))
      messages.set(kind, `only from \`/health/ready\`: ${TROUBLES[kind].message}`);
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

/** Calls every function with X for each argument. */
function messagesByCode(): Map<string, string> {
  const messages = new Map<string, string>();
  for (const [name, create] of Object.entries(errors)) {
    if (!/^[a-z]/.test(name)) continue;
    const created: unknown = Reflect.apply(create, undefined, ['X', 'X']);
    if (!(created instanceof HubError)) throw new Error(`${name} does not create a HubError`);
    if (created.message === 'X' && MEANINGS[created.code] === undefined)
      throw new Error(`the reference has no meaning for ${created.code}`);
    const known = messages.get(created.code) ?? created.message;
    if (created.message !== known && MEANINGS[created.code] === undefined)
      throw new Error(`${created.code} has several messages and needs a meaning in the reference`);
    messages.set(created.code, known);
  }
  return messages;
}
