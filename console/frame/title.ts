// Sets the tab title: page name, then product name.
import { useEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';

export function useTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} · ${words.value.frame.product}`;
  }, [page]);
}
