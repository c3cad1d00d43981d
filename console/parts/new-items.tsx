// The button that shows new items of a frozen list.
import { words } from '../i18n/language.ts';

type ArrivalsProps = { n: number; onLetIn(): void; text?: (n: number) => string };

export function NewItems({ n, onLetIn, text = words.value.filters.arrived }: ArrivalsProps) {
  function show(): void {
    scrollTo({ top: 0 });
    onLetIn();
  }
  return (
    <div class="arrivals" aria-live="polite">
      {n > 0 && (
        <button type="button" class="arrivals-button" onClick={show}>
          {text(n)}
        </button>
      )}
    </div>
  );
}
