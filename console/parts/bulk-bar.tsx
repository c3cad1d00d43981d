// What can be done with the ticked tasks: each act names how many of them it can be done to.
import { useSignal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { actOn } from '../account.ts';
import { announce } from '../announcements.ts';
import { cancelTask, reassignTask, retryTask } from '../api.ts';
import { words } from '../i18n/language.ts';
import { type BulkOutcome, inBulk, select, selected, selectedTasks } from '../selection.ts';
import { mayCancel, mayRetry } from '../statuses.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';

export type BulkAct = (task: TaskRecord) => Promise<unknown>;

export function BulkBar() {
  const { tasks: text } = words.value;
  const progress = useSignal<{ done: number; all: number } | null>(null);
  const outcome = useSignal<BulkOutcome | null>(null);
  const asking = useSignal<'cancel' | 'reassign' | null>(null);
  const tasks = selectedTasks();
  const [retryable, live] = [tasks.filter(({ status }) => mayRetry(status)), tasks.filter(({ status }) => mayCancel(status))];

  async function run(on: readonly TaskRecord[], act: BulkAct): Promise<void> {
    asking.value = null;
    outcome.value = null;
    progress.value = { done: 0, all: on.length };
    outcome.value = await inBulk(on, act, (done) => (progress.value = { done, all: on.length }));
    progress.value = null;
    select([]);
    announce(text.bulk.done(outcome.value.done));
  }

  const confirm = (act: BulkAct) => void run(live, act);
  return (
    <div class="bulk" role="toolbar" aria-label={text.bulk.label} data-open={selected.value.size > 0 || outcome.value !== null}>
      {selected.value.size > 0 && (
        <>
          <span class="bulk-count">{progress.value === null ? text.selected(selected.value.size) : text.bulk.working(progress.value.done, progress.value.all)}</span>
          <Act icon="retry" n={retryable.length} label={text.bulk.retry} onAct={() => run(retryable, (task) => retryTask(task.task_id, actOn(task)))} />
          <Act icon="arrow" n={live.length} label={text.bulk.reassign} onAct={() => (asking.value = 'reassign')} />
          <Act icon="cancelled" n={live.length} label={text.bulk.cancel} onAct={() => (asking.value = 'cancel')} />
          <button type="button" class="button button-quiet button-small" onClick={() => select([])}>{text.unselect}</button>
        </>
      )}
      {outcome.value !== null && selected.value.size === 0 && <Outcome outcome={outcome.value} onDone={() => (outcome.value = null)} />}
      {asking.value === 'cancel' && (
        <BulkDialog act="cancel" n={live.length} onClose={() => (asking.value = null)} onConfirm={(reason) => confirm((task) => cancelTask(task.task_id, { ...actOn(task), reason: reason || undefined }))} />
      )}
      {asking.value === 'reassign' && (
        <BulkDialog act="reassign" n={live.length} onClose={() => (asking.value = null)} onConfirm={(new_alias) => confirm((task) => reassignTask(task.task_id, { ...actOn(task), new_alias }))} />
      )}
    </div>
  );
}

type ActProps = { icon: 'retry' | 'arrow' | 'cancelled'; n: number; label(n: number): string; onAct(): void };

function Act({ icon, n, label, onAct }: ActProps) {
  if (n === 0) return null;
  return (
    <button type="button" class="button button-small" onClick={onAct}>
      <Icon name={icon} />
      {label(n)}
    </button>
  );
}

function Outcome({ outcome: { done, refused, why }, onDone }: { outcome: BulkOutcome; onDone(): void }) {
  const { bulk } = words.value.tasks;
  return (
    <>
      <Notice tone={refused > 0 ? 'warning' : 'good'}>
        {bulk.done(done)} {refused > 0 && bulk.refused(refused, why)}
      </Notice>
      <button type="button" class="button button-quiet button-icon" aria-label={words.value.send.cancel} onClick={onDone}><Icon name="close" /></button>
    </>
  );
}
