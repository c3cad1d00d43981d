// The list of needs as it is shown, and the announcement of new ones.
import { signal } from '@preact/signals';
import { announce } from '../frame/announcements.ts';
import { reach } from '../frame/keyboard.ts';
import { words } from '../i18n/language.ts';
import type { Need } from './need.ts';
import { needTitle } from './need-text.ts';

/** The address of the panel is the overview with this hash. */
export const NEEDS_ID = 'needs-you';

/** Most urgent first; null until loaded. */
export const needs = signal<readonly Need[] | null>(null);
/** The number of needs without answered agents; null until everything has loaded once. */
export const needsTotal = signal<number | null>(null);
/** Those that were dismissed and have not ended since. */
export const dismissedNeeds = signal<readonly Need[]>([]);

/** A list that did not change is not rendered again. */
export function showNeeds(found: readonly Need[]): void {
  if (!isSameList(needs.value, found)) needs.value = found;
}

export function forgetNeeds(): void {
  needs.value = needsTotal.value = null;
  dismissedNeeds.value = [];
}

/** Other pages have no panel yet. */
export function focusFirstNeed(): void {
  const find = (what: string) => document.querySelector<HTMLElement>(`.needs ${what}`);
  const fresh = find('.new-items-button');
  if (fresh) return fresh.click();
  scrollTo({ top: 0 });
  reach(find('.need:not([data-settled=true]) .row-link'));
}

/** Agents are announced by their status. */
export function announceNew(fresh: readonly Need[]): void {
  const [first, ...others] = fresh.filter((need) => !('agent' in need));
  const { needsYou, labelled } = words.value;
  if (first !== undefined)
    announce(labelled(needsYou.title, others.length === 0 ? needTitle(first) : needsYou.fresh(others.length + 1)));
}

function isSameList(shown: readonly Need[] | null, found: readonly Need[]): boolean {
  const [before, parts] = [shown?.flatMap(partsOf), found.flatMap(partsOf)];
  return before?.length === parts.length && parts.every((part, at) => part === before[at]);
}

/** Records are replaced when they change. */
function partsOf(need: Need): unknown[] {
  const asker = need.kind === 'mail' ? need.asker : undefined;
  return [...Object.values({ ...need, asker: asker?.key }), ...Object.values(asker ?? {})].flat();
}
