// Counts per status that also act as the filter: each is a link, and the selected one clears the filter.
import type { ComponentChildren } from 'preact';
import { language } from '../i18n/language.ts';
import { wholeNumber } from './format.ts';

export type Count = {
  status: string;
  label: string;
  count: number | undefined;
  href: string;
  chosen: boolean;
  sign: ComponentChildren;
};

export function Counts({ label, counts }: { label: string; counts: readonly Count[] }) {
  return (
    <nav class="counts" aria-label={label}>
      {counts.map(({ status, label: word, count, href, chosen, sign }) => (
        <a
          key={status}
          class="count"
          href={href}
          data-status={status}
          data-zero={count === 0}
          aria-current={chosen ? 'true' : undefined}
        >
          <span class="count-number">{count === undefined ? '–' : wholeNumber(count, language.value)}</span>
          <span class="count-label">
            {sign}
            {word}
          </span>
        </a>
      ))}
    </nav>
  );
}
