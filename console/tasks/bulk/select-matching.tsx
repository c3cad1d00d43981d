// Selects all tasks that match the filter, with their number and the progress.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { showToast } from '../../frame/toast.ts';
import { language, words } from '../../i18n/language.ts';
import { problemText } from '../../live/problems.ts';
import { wholeNumber } from '../../parts/format.ts';
import type { TaskFilter } from '../task-filter.ts';
import { selected, selectMatching } from './selection.ts';

export function SelectMatching({ filter, matching }: { filter: TaskFilter; matching: number | undefined }) {
  const { tasks: text } = words.value;
  const found = useSignal<number | null>(null);
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);
  if (matching === undefined || matching <= selected.value.size) return null;
  const whole = (n: number) => wholeNumber(n, language.value);
  const gather = async () => {
    if (found.value !== null) return;
    found.value = 0;
    await selectMatching(filter, (n) => ((found.value = n), isHere.current)).catch((error: unknown) =>
      showToast({ text: problemText(error), tone: 'warning' }),
    );
    found.value = null;
  };
  return (
    <button type="button" class="button button-small" aria-disabled={found.value !== null} onClick={gather}>
      {found.value === null
        ? text.selectMatching(whole(matching))
        : text.selecting(whole(found.value), whole(matching))}
    </button>
  );
}
