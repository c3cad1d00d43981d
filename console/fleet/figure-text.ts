// The figures of tasks as texts in the language of the page.
import { language, words } from '../i18n/language.ts';
import type { Figures } from '../live/api.ts';
import { momentOf, preciseDuration, shortTime, wholeNumber } from '../parts/format.ts';

export function lasting(milliseconds: number): string {
  return preciseDuration(milliseconds, language.value);
}

export function percent(share: number): string {
  return share.toLocaleString(language.value, { style: 'percent', maximumFractionDigits: 1 });
}

export function decimal(value: number): string {
  return value.toLocaleString(language.value, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** From when until when they count. */
export function noteOf({ since, until }: Pick<Figures, 'since' | 'until'>): string {
  return words.value.figures.note(momentText(since), momentText(until));
}

function momentText(timestamp: string): string {
  return shortTime(momentOf(timestamp), language.value);
}

/** Failed and expired tasks, of those that were not cancelled. */
export function failuresOf({
  settled: { replied, failed, expired },
}: Pick<Figures, 'settled'>): [failures: string, all: string] {
  const failures = failed + expired;
  return [wholeNumber(failures, language.value), wholeNumber(failures + replied, language.value)];
}
