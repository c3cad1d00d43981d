// The actions for selected tasks. Each shows how many of them it applies to. Also shows progress and rejected tasks.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isLive, mayMove } from '../../../server/domain/task-status.ts';
import { announce } from '../../frame/announcements.ts';
import { language, words } from '../../i18n/language.ts';
import { wholeNumber } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import type { TaskFilter } from '../task-filter.ts';
import { BULK_ACTIONS, type BulkAct, type BulkAction, bulkProgress, bulkResult, runBulk } from './bulk.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { BulkProgress, BulkResultNotice, sentencesOf } from './bulk-result.tsx';
import { SelectMatching } from './select-matching.tsx';
import { type SelectedTask, select, selected, selectedTasks } from './selection.ts';

type BulkBarProps = {
  filter: TaskFilter;
  shown: number;
  /** The number of matching tasks; unknown until the hub has counted them. */
  matching: number | undefined;
};

export function BulkBar({ filter, shown, matching }: BulkBarProps) {
  const [isRunning, isOver] = [bulkProgress.value !== null, bulkResult.value !== null];
  const isSelected = selected.value.size > 0;
  return (
    <div
      class="bulk"
      role="toolbar"
      aria-label={words.value.tasks.bulk.label}
      data-open={isRunning || isOver || isSelected}
    >
      {isRunning && <BulkProgress />}
      {!isRunning && isSelected && (
        <BulkActions shown={shown}>
          <SelectMatching filter={filter} matching={matching} />
        </BulkActions>
      )}
      {!isRunning && isOver && !isSelected && <BulkResultNotice />}
    </div>
  );
}

function BulkActions({ shown, children }: { shown: number; children: ComponentChildren }) {
  const { tasks: text } = words.value;
  const asking = useSignal<BulkAct | null>(null);
  const tasks = selectedTasks();
  const live = tasks.filter((task) => isLive(task));
  const retryable = tasks.filter((task) => mayMove(task, 'retry'));
  const on = { retry: retryable, cancel: live, reassign: [...live, ...retryable] };
  const begin = (what: BulkAct, given = '') => {
    asking.value = null;
    void run(on[what], BULK_ACTIONS[what](given));
  };
  // Retrying tasks that are not visible requires confirmation.
  const retry = () => (on.retry.length > shown ? (asking.value = 'retry') : begin('retry'));
  return (
    <>
      <span class="bulk-count">{text.selected(wholeNumber(tasks.length, language.value))}</span>
      {children}
      <ActionButton icon="retry" n={on.retry.length} label={text.bulk.retry} onClick={retry} />
      <ActionButton
        icon="arrow"
        n={on.reassign.length}
        label={text.bulk.reassign}
        onClick={() => (asking.value = 'reassign')}
      />
      <ActionButton
        icon="cancelled"
        n={live.length}
        label={text.bulk.cancel}
        onClick={() => (asking.value = 'cancel')}
      />
      <button
        type="button"
        class="button button-quiet button-small"
        aria-keyshortcuts="Escape"
        onClick={() => select([])}
      >
        {text.clearSelection}
      </button>
      {asking.value !== null && (
        <BulkDialog
          action={asking.value}
          tasks={on[asking.value]}
          onClose={() => (asking.value = null)}
          onConfirm={(given) => asking.value && begin(asking.value, given)}
        />
      )}
    </>
  );
}

async function run(tasks: readonly SelectedTask[], action: BulkAction): Promise<void> {
  select([]);
  announce(sentencesOf(await runBulk(tasks, action)).join(' '));
}

type ActionButtonProps = {
  icon: 'retry' | 'arrow' | 'cancelled';
  n: number;
  label(n: string): string;
  onClick(): void;
};

function ActionButton({ icon, n, label, onClick }: ActionButtonProps) {
  if (n === 0) return null;
  return (
    <button type="button" class="button button-small" data-command onClick={onClick}>
      <Icon name={icon} />
      {label(wholeNumber(n, language.value))}
    </button>
  );
}
