// A placeholder for a list that is loading.
import { words } from '../i18n/language.ts';

const WIDTHS = ['wide', 'middle', 'narrow', 'middle', 'wide'] as const;

/** As many rows as are likely, so that little moves when they arrive. */
export function SkeletonRows({ rows = WIDTHS.length }: { rows?: number }) {
  return (
    <div class="skeleton" role="status" aria-label={words.value.loading}>
      {WIDTHS.slice(0, rows).map((width, row) => (
        <div key={row} class="skeleton-row">
          <span class="skeleton-bar" data-width="narrow" />
          <span class="skeleton-bar" data-width={width} />
        </div>
      ))}
    </div>
  );
}
