// A placeholder for a list that is loading.
import { words } from '../i18n/language.ts';

const WIDTHS = ['wide', 'middle', 'narrow', 'middle', 'wide'] as const;

export function SkeletonRows() {
  return (
    <div class="skeleton" role="status" aria-label={words.value.loading}>
      {WIDTHS.map((width, row) => (
        <div key={row} class="skeleton-row">
          <span class="skeleton-bar" data-width="narrow" />
          <span class="skeleton-bar" data-width={width} />
        </div>
      ))}
    </div>
  );
}
