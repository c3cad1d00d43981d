// A panel of the overview: title, total, actions and list.
import type { ComponentChildren } from 'preact';
import { language } from '../i18n/language.ts';
import { wholeNumber } from '../parts/format.ts';

type PanelProps = {
  id: string;
  title: string;
  total: number | undefined;
  /** The list of all items. */
  href?: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
};

export function Panel({ id, title, total, href, actions, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>
          {href === undefined ? (
            title
          ) : (
            <a class="panel-link" href={href}>
              {title}
            </a>
          )}
        </h2>
        {total !== undefined && <span class="panel-total">{wholeNumber(total, language.value)}</span>}
        <span class="spacer" />
        {actions}
      </header>
      {children}
    </section>
  );
}
