// Retries, reassigns or cancels the grouped tasks of an agent, and shows which were rejected and why.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { Dialog } from '../parts/dialog.tsx';
import { BULK_ACTIONS, type BulkResult, bulkProgress, bulkResult, runBulk } from '../tasks/bulk/bulk.ts';
import { BulkDialog } from '../tasks/bulk/bulk-dialog.tsx';
import { BulkProgress, Rejections, sentencesOf } from '../tasks/bulk/bulk-result.tsx';
import { selectedTaskOf } from '../tasks/bulk/selection.ts';
import type { GroupAct } from './need-asked.ts';

type GroupDialogProps = {
  what: GroupAct;
  tasks: readonly TaskRecord[];
  onDone(ids: ReadonlySet<string>): void;
  onClose(): void;
};

const ACTIONS = { retryAll: 'retry', reassignAll: 'reassign', cancelAll: 'cancel' } as const;

export function GroupDialog({ what, tasks, onDone, onClose }: GroupDialogProps) {
  const action = ACTIONS[what];
  const result = useSignal<BulkResult | null>(null);
  const isOpen = useRef(true);
  useEffect(() => () => void (isOpen.current = false), []);
  const all = tasks.map(selectedTaskOf);
  const confirm = async (given: string) => {
    const outcome = await runBulk(all, BULK_ACTIONS[action](given));
    // It is shown here, not on the page of tasks.
    bulkResult.value = null;
    const rest = new Set([...outcome.rejected.map(({ task }) => task), ...outcome.notAttempted]);
    onDone(new Set(all.filter((task) => !rest.has(task)).map(({ task_id }) => task_id)));
    if (isOpen.current && rest.size > 0) result.value = outcome;
    else showToast({ text: sentencesOf(outcome).join(' '), ...(rest.size > 0 && { tone: 'warning' }) });
    if (isOpen.current && rest.size === 0) onClose();
  };
  const outcome = result.value;
  if (bulkProgress.value !== null)
    return (
      <Dialog title={words.value.tasks.title} onClose={onClose}>
        <BulkProgress />
      </Dialog>
    );
  if (outcome === null)
    return <BulkDialog action={action} tasks={all} onClose={onClose} onConfirm={(given) => void confirm(given)} />;
  return (
    <Dialog title={words.value.tasks.title} onClose={onClose}>
      <p role="alert">{sentencesOf(outcome).join(' ')}</p>
      <Rejections rejected={outcome.rejected} />
    </Dialog>
  );
}
