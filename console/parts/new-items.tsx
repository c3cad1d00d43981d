// The button that shows new items of a frozen list.
import { words } from '../i18n/language.ts';

type NewItemsProps = { n: number; onShow(): void; text?: (n: number) => string };

export function NewItems({ n, onShow, text = words.value.filters.newTasks }: NewItemsProps) {
  function show({ currentTarget }: { currentTarget: HTMLElement }): void {
    scrollTo({ top: 0 });
    focusNew(currentTarget);
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

/** The button disappears. The focus moves to the first new row, once it is rendered, or to the first one. */
function focusNew(button: HTMLElement): void {
  const list = button.closest('.new-items')?.parentElement;
  const rows = () => [...(list?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
  const before = rows();
  button.blur();
  setTimeout(() => (rows().find((row) => !before.includes(row)) ?? rows()[0])?.focus());
}
