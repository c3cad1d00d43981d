// Sets the tab title: how many things need the person, page name, then product name.
import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';

/** Shown in front of the page name, unless it is 0. */
export const titleCount = signal(0);

export function useTitle(page: string): void {
  useEffect(() => effect(() => void (document.title = titleOf(page, titleCount.value))), [page]);
}

export function titleOf(page: string, count: number): string {
  const title = `${page} · ${words.value.frame.product}`;
  return count === 0 ? title : `(${shortCount(count)}) ${title}`;
}

export function shortCount(count: number): string {
  return count > 99 ? '99+' : String(count);
}
