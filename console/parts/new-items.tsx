// The button that shows new items of a frozen list.
import { reach } from '../frame/keyboard.ts';
import { words } from '../i18n/language.ts';

/** `holds` tells whether the focus then holds the list, also after a click. */
type NewItemsProps = { n: number; onShow(): void; text?: (n: number) => string; holds?: boolean };

export function NewItems({ n, onShow, text = words.value.filters.newTasks, holds = false }: NewItemsProps) {
  function show({ currentTarget }: { currentTarget: HTMLElement }): void {
    scrollTo({ top: 0 });
    focusNew(currentTarget, holds);
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
function focusNew(button: HTMLElement, holds: boolean): void {
  const list = button.closest('.new-items')?.parentElement;
  const rows = () => [...(list?.querySelectorAll<HTMLElement>('.row-link') ?? [])];
  const before = rows();
  button.blur();
  setTimeout(() => {
    const row = rows().find((each) => !before.includes(each)) ?? rows()[0];
    if (holds) reach(row);
    else row?.focus();
  });
}
