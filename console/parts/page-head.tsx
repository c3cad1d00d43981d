// The page header: title, total and actions.
import type { ComponentChildren } from 'preact';
import { useTitle } from '../frame/title.ts';
import { language } from '../i18n/language.ts';
import { wholeNumber } from './format.ts';

type PageHeadProps = { title: string; total?: number | undefined; children?: ComponentChildren };

export function PageHead({ title, total, children }: PageHeadProps) {
  useTitle(title);
  return (
    <header class="page-head">
      <h1>
        <bdi>{title}</bdi>
        {total !== undefined && <span class="page-total">{wholeNumber(total, language.value)}</span>}
      </h1>
      <div class="page-actions">{children}</div>
    </header>
  );
}
