// Validates usernames and passwords in the browser, so that the user gets feedback without a request, and maps errors
// from the hub to form fields.
import type { Words } from '../i18n/en.ts';
import type { Credentials } from '../live/api.ts';
import { problemText } from '../live/problems.ts';
import { RequestError } from '../live/request.ts';

export type FormErrors = { username?: string; password?: string; setup?: string; invite?: string; form?: string };

const USERNAME = /^[A-Za-z0-9_\p{Script=Han}]{2,50}$/u;
const SHORTEST_PASSWORD = 6;
const LONGEST_PASSWORD = 256;

const FIELD_OF_CODE: Record<string, keyof FormErrors> = {
  username_taken: 'username',
  setup_token_required: 'setup',
  invite_required: 'invite',
  invite_invalid: 'invite',
  invite_expired: 'invite',
  invite_used_up: 'invite',
  network_full: 'invite',
};

/** The rules apply only to new accounts. For an existing account only the hub can decide. */
export function formErrors(
  { username, password }: Credentials,
  creating: boolean,
  errors: Words['errors'],
): FormErrors {
  const found: FormErrors = {};
  if (username === '') found.username = errors.usernameMissing;
  else if (creating && !USERNAME.test(username)) found.username = errors.usernameRule;
  if (password === '') found.password = errors.passwordMissing;
  else if (creating) Object.assign(found, passwordError(Array.from(password).length, errors));
  return found;
}

function passwordError(length: number, errors: Words['errors']): FormErrors {
  if (length < SHORTEST_PASSWORD) return { password: errors.passwordShort };
  return length > LONGEST_PASSWORD ? { password: errors.passwordLong } : {};
}

export function refusalErrors(error: unknown): FormErrors {
  return { [fieldOf(error)]: problemText(error) };
}

function fieldOf(error: unknown): keyof FormErrors {
  if (!(error instanceof RequestError)) return 'form';
  const named = /^(username|password)\b/.exec(error.message)?.[1];
  if (error.code === 'invalid_request' && (named === 'username' || named === 'password')) return named;
  return (Object.hasOwn(FIELD_OF_CODE, error.code) ? FIELD_OF_CODE[error.code] : undefined) ?? 'form';
}
