// The button that shows new items of a frozen list.
import { words } from '../i18n/language.ts';

type NewItemsProps = { n: number; onShow(): void; text?: (n: number) => string };

export function NewItems({ n, onShow, text = words.value.filters.newTasks }: NewItemsProps) {
  function show({ detail, currentTarget }: MouseEvent): void {
    scrollTo({ top: 0 });
    if (currentTarget instanceof HTMLElement) settleFocus(currentTarget, detail === 0);
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

/**
 * The button disappears. A focus that came from the keyboard moves to the first row, once it is rendered; otherwise it
 * is dropped, so that the list does not stay frozen.
 */
function settleFocus(button: HTMLElement, isFromKeyboard: boolean): void {
  const list = button.closest('.new-items')?.parentElement;
  button.blur();
  if (isFromKeyboard) setTimeout(() => list?.querySelector<HTMLElement>('.row-link')?.focus());
}
