// Selects all tasks that match the filter, with their number and the progress.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showToast } from '../../frame/toast.ts';
import { language, words } from '../../i18n/language.ts';
import { errorText } from '../../live/error-texts.ts';
import { wholeNumber } from '../../parts/format.ts';
import type { TaskFilter } from '../task-filter.ts';
import { selected, selectMatching } from './selection.ts';

export function SelectMatching({ filter, matching }: { filter: TaskFilter; matching: number | undefined }) {
  const { tasks: text } = words.value;
  const found = useSignal<number | null>(null);
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);
  if (matching === undefined || matching <= selected.value.size) return null;
  const whole = (n: number) => wholeNumber(n, language.value);
  const report = (n: number) => {
    found.value = n;
    return isMounted.current;
  };
  const selectAll = async () => {
    if (found.value !== null) return;
    found.value = 0;
    await selectMatching(filter, report).catch((error: unknown) =>
      showToast({ text: errorText(error), tone: 'warning' }),
    );
    found.value = null;
  };
  return (
    <button type="button" class="button button-small" aria-disabled={found.value !== null} onClick={selectAll}>
      {found.value === null
        ? text.selectMatching(whole(matching))
        : text.selecting(whole(found.value), whole(matching))}
    </button>
  );
}
