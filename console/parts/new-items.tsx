// What has come while a list was kept still, and the way to let it in.
import { words } from '../i18n/language.ts';

type ArrivalsProps = { n: number; onLetIn(): void; text?: (n: number) => string };

export function NewItems({ n, onLetIn, text = words.value.filters.arrived }: ArrivalsProps) {
  return (
    <div class="arrivals" aria-live="polite">
      {n > 0 && (
        <button type="button" class="arrivals-button" onClick={() => (scrollTo({ top: 0 }), onLetIn())}>
          {text(n)}
        </button>
      )}
    </div>
  );
}
