// Validates usernames and passwords in the browser, so that the user gets feedback without a request, and maps errors
// from the hub to form fields.
import { isUsername } from '../../server/domain/accounts/user.ts';
import { MAX_PASSWORD, MAX_USERNAME, MIN_PASSWORD, MIN_USERNAME } from '../../server/domain/limits.ts';
import type { Words } from '../i18n/en.ts';
import type { Credentials } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { RequestError } from '../live/request.ts';
import { lengthOf } from '../parts/lengths.ts';

export type FormErrors = { username?: string; password?: string; setup?: string; invite?: string; form?: string };

const FIELD_OF_CODE: Record<string, keyof FormErrors> = {
  username_taken: 'username',
  setup_token_required: 'setup',
  setup_token_expired: 'setup',
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
  else if (creating && !isValidUsername(username)) found.username = errors.usernameRule(MIN_USERNAME, MAX_USERNAME);
  if (password === '') found.password = errors.passwordMissing;
  else if (creating) Object.assign(found, passwordError(lengthOf(password), errors));
  return found;
}

function isValidUsername(username: string): boolean {
  const length = lengthOf(username);
  return length >= MIN_USERNAME && length <= MAX_USERNAME && isUsername(username);
}

function passwordError(length: number, errors: Words['errors']): FormErrors {
  if (length < MIN_PASSWORD) return { password: errors.tooShort(MIN_PASSWORD) };
  return length > MAX_PASSWORD ? { password: errors.tooLong(MAX_PASSWORD) } : {};
}

export function refusalErrors(error: unknown): FormErrors {
  return { [fieldOf(error)]: errorText(error) };
}

function fieldOf(error: unknown): keyof FormErrors {
  if (!(error instanceof RequestError)) return 'form';
  const named = /^(username|password)\b/.exec(error.message)?.[1];
  if (error.code === 'invalid_request' && (named === 'username' || named === 'password')) return named;
  return (Object.hasOwn(FIELD_OF_CODE, error.code) ? FIELD_OF_CODE[error.code] : undefined) ?? 'form';
}
