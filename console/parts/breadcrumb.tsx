// The breadcrumb above a detail page: a link to its list, and the page itself.
import type { ComponentChildren } from 'preact';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

export function Breadcrumb({ list, href, children }: { list: string; href: string; children: ComponentChildren }) {
  return (
    <nav class="crumbs" aria-label={words.value.frame.breadcrumb}>
      <a class="crumb" href={href}>
        {list}
      </a>
      <Icon name="chevron" />
      {children}
    </nav>
  );
}
