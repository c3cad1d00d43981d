// Maps error codes to HTTP statuses over REST. Any other code is a client error: 400.
import { isUnready } from '../domain/health/troubles.ts';

const STATUSES: Readonly<Record<string, number>> = {
  unauthorized: 401,
  invalid_credentials: 401,
  forbidden: 403,
  account_disabled: 403,
  user_token_required: 403,
  setup_token_required: 403,
  setup_token_expired: 403,
  registration_closed: 403,
  invite_required: 403,
  permission_denied: 403,
  license_expired: 403,
  not_found: 404,
  'message not found or not yours': 404,
  'task not found': 404,
  'session not found': 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  client_left: 499, // for the log and the metrics, as nginx counts it
  internal_error: 500,
  unavailable: 503,
  storage_full: 503,
};

export function statusOf(code: string): number {
  return STATUSES[code] ?? (isUnready(code) ? 503 : 400);
}
