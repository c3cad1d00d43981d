// Translates error codes of the hub. Unknown codes show the message from the hub.
import { DUPLICATE_SENDS, DUPLICATE_WINDOW_MS } from '../../server/domain/limits.ts';
import { words } from '../i18n/language.ts';
import { RequestError } from './request.ts';

type ErrorTexts = typeof words.value.errors;

const TEXTS: Record<string, (errors: ErrorTexts, error: RequestError) => string> = {
  unreachable: (errors) => errors.unreachable,
  invalid_credentials: (errors) => errors.credentials,
  username_taken: (errors) => errors.usernameTaken,
  setup_token_required: (errors) => errors.setupToken,
  setup_token_expired: (errors) => errors.setupExpired,
  registration_closed: (errors) => errors.registrationClosed,
  invite_required: (errors) => errors.inviteRequired,
  account_disabled: (errors) => errors.accountDisabled,
  rate_limited: (errors, error) => errors.rateLimited(error.retryAfterSeconds),
  internal_error: (errors) => errors.internal,
  permission_denied: (errors) => errors.readOnly,
  license_expired: (errors) => errors.trialExpired,
  invite_invalid: (errors) => errors.inviteInvalid,
  invite_expired: (errors) => errors.inviteExpired,
  invite_used_up: (errors) => errors.inviteUsedUp,
  already_member: (errors) => errors.alreadyMember,
  network_full: (errors) => errors.networkFull,
  duplicate_send: (errors) => errors.duplicate(DUPLICATE_SENDS, DUPLICATE_WINDOW_MS / 60_000),
  'task is terminal': (errors) => errors.taskFinished,
};

export function errorText(error: unknown): string {
  const { errors } = words.value;
  if (!(error instanceof RequestError)) return errors.other(String(error));
  const text = Object.hasOwn(TEXTS, error.code) ? TEXTS[error.code] : undefined;
  return text?.(errors, error) ?? errors.other(error.message);
}
