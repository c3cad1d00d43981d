// Loads recent throughput and refreshes it at a low rate.
import type { Signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { type Throughput, throughput } from '../live/api.ts';
import { useRefreshed } from '../live/refreshed.ts';

export const SPANS = { hour: 1, day: 24 } as const;
export type Span = keyof typeof SPANS;

export function useThroughput(span: Span): Signal<Throughput | null> {
  return useRefreshed(span, () => throughput({ network_id: account.value?.network_id, hours: SPANS[span] })).known;
}
