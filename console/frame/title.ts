// The title of the tab: the page, then the product.
import { useEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';

export function useTitle(page: string): void {
  useEffect(() => {
    document.title = `${page} · ${words.value.frame.product}`;
  }, [page]);
}
