// The actions for selected tasks. Each shows how many of them it applies to. Also shows progress and rejected tasks.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { isLive, mayMove } from '../../../server/domain/task-status.ts';
import { actOn } from '../../account/account.ts';
import { announce } from '../../frame/announcements.ts';
import { language, words } from '../../i18n/language.ts';
import { cancelTask, reassignTask, retryTask } from '../../live/api.ts';
import { wholeNumber } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import type { TaskFilter } from '../task-filter.ts';
import { type BulkAction, bulkOutcome, bulkProgress, runBulk } from './bulk.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { BulkOutcomeShown, BulkProgress } from './bulk-outcome.tsx';
import { SelectMatching } from './select-matching.tsx';
import { select, selected, selectedTasks, type Ticked } from './selection.ts';

type BulkBarProps = {
  filter: TaskFilter;
  shown: number /** How many match; unknown until the hub has counted. */;
  matching: number | undefined;
};

export function BulkBar({ filter, shown, matching }: BulkBarProps) {
  const [isRunning, isOver] = [bulkProgress.value !== null, bulkOutcome.value !== null];
  const isTicked = selected.value.size > 0;
  return (
    <div
      class="bulk"
      role="toolbar"
      aria-label={words.value.tasks.bulk.label}
      data-open={isRunning || isOver || isTicked}
    >
      {isRunning && <BulkProgress />}
      {!isRunning && isTicked && (
        <Acts shown={shown}>
          <SelectMatching filter={filter} matching={matching} />
        </Acts>
      )}
      {!isRunning && isOver && !isTicked && <BulkOutcomeShown />}
    </div>
  );
}

type Asked = 'retry' | 'cancel' | 'reassign';
const ACTS: Record<Asked, (given: string) => BulkAction> = {
  retry: () => (task) => retryTask(task.task_id, actOn(task)),
  cancel: (reason) => (task) => cancelTask(task.task_id, { ...actOn(task), reason: reason || undefined }),
  reassign: (new_alias) => (task) => reassignTask(task.task_id, { ...actOn(task), new_alias }),
};

function Acts({ shown, children }: { shown: number; children: ComponentChildren }) {
  const { tasks: text } = words.value;
  const asking = useSignal<Asked | null>(null);
  const tasks = selectedTasks();
  const live = tasks.filter((task) => isLive(task));
  const on = { retry: tasks.filter((task) => mayMove(task, 'retry')), cancel: live, reassign: live };
  const begin = (what: Asked, given = '') => {
    asking.value = null;
    void run(on[what], ACTS[what](given));
  };
  // Retrying tasks that are not visible requires confirmation.
  const retry = () => (on.retry.length > shown ? (asking.value = 'retry') : begin('retry'));
  return (
    <>
      <span class="bulk-count">{text.selected(wholeNumber(tasks.length, language.value))}</span>
      {children}
      <Act icon="retry" n={on.retry.length} label={text.bulk.retry} onAct={retry} />
      <Act icon="arrow" n={live.length} label={text.bulk.reassign} onAct={() => (asking.value = 'reassign')} />
      <Act icon="cancelled" n={live.length} label={text.bulk.cancel} onAct={() => (asking.value = 'cancel')} />
      <button type="button" class="button button-quiet button-small" onClick={() => select([])}>
        {text.unselect}
      </button>
      {asking.value !== null && (
        <BulkDialog
          act={asking.value}
          n={on[asking.value].length}
          onClose={() => (asking.value = null)}
          onConfirm={(given) => asking.value && begin(asking.value, given)}
        />
      )}
    </>
  );
}

async function run(tasks: readonly Ticked[], act: BulkAction): Promise<void> {
  select([]);
  const { done, refused } = await runBulk(tasks, act);
  const { bulk } = words.value.tasks;
  const whole = (n: number) => wholeNumber(n, language.value);
  announce(
    `${bulk.done(done, whole(done))} ${refused.length > 0 ? bulk.refused(refused.length, whole(refused.length)) : ''}`,
  );
}

type ActProps = { icon: 'retry' | 'arrow' | 'cancelled'; n: number; label(n: string): string; onAct(): void };

function Act({ icon, n, label, onAct }: ActProps) {
  if (n === 0) return null;
  return (
    <button type="button" class="button button-small" onClick={onAct}>
      <Icon name={icon} />
      {label(wholeNumber(n, language.value))}
    </button>
  );
}
