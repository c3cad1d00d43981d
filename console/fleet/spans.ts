// The time ranges of the sequence view and of figures: the last hour, day or week.
import { statusNamed } from '../parts/statuses.ts';

/** In milliseconds. */
export const SPANS = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
export type Span = keyof typeof SPANS;
export const SPAN_NAMES = ['hour', 'day', 'week'] as const satisfies readonly Span[];

/** Undefined for a value that is not a span. */
export function spanNamed(name: string | undefined): Span | undefined {
  return statusNamed(SPAN_NAMES, name);
}

/** The span in an address; the last hour by default. */
export function spanIn({ span }: Record<string, string>): Span {
  return spanNamed(span) ?? 'hour';
}

export function hoursOf(span: Span): number {
  return SPANS[span] / SPANS.hour;
}
