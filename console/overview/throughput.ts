// Loads recent throughput and refreshes it at a low rate.
import type { Signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { hoursOf, type Span } from '../fleet/spans.ts';
import { type Throughput, throughput } from '../live/api.ts';
import { useRefreshed } from '../live/refreshed.ts';

export function useThroughput(span: Span): Signal<Throughput | null> {
  return useRefreshed(span, () => throughput({ network_id: account.value?.network_id, hours: hoursOf(span) })).known;
}
