// The empty state of a list, with a suggested next step.
import type { ComponentChildren } from 'preact';
import { words } from '../i18n/language.ts';

export function Empty({
  title,
  text,
  children,
}: {
  title: string;
  text?: string | undefined;
  children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text !== undefined && <p class="empty-text">{text}</p>}
      {children}
    </div>
  );
}

/** The empty state of a filtered list. */
export function NoResults({ clearPath }: { clearPath: string }) {
  const { filters } = words.value;
  return (
    <Empty title={filters.noResultsTitle} text={filters.noResultsText}>
      <a class="button" href={clearPath}>
        {filters.clear}
      </a>
    </Empty>
  );
}
