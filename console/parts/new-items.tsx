// The button that shows new items of a frozen list.
import { words } from '../i18n/language.ts';

type NewItemsProps = { n: number; onShow(): void; text?: (n: number) => string };

export function NewItems({ n, onShow, text = words.value.filters.newTasks }: NewItemsProps) {
  function show(): void {
    scrollTo({ top: 0 });
    onShow();
  }
  return (
    <div class="new-items" aria-live="polite">
      {n > 0 && (
        <button type="button" class="new-items-button" onClick={show}>
          {text(n)}
        </button>
      )}
    </div>
  );
}
