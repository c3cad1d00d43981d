// Why a notification was not accepted, in the language of the page.
import { words } from '../i18n/language.ts';
import type { DeliveryRecord } from '../live/api.ts';

export function problemText({
  error,
  response_status,
}: Pick<DeliveryRecord, 'error' | 'response_status'>): string | undefined {
  const { notifiers: text } = words.value;
  if (error === null) return undefined;
  return error === 'status' && response_status !== null ? text.returned(response_status) : text.problem[error];
}
