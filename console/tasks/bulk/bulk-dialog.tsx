// Confirms a bulk cancel or retry, or asks for the agent of a bulk reassignment.
import { useSignal } from '@preact/signals';
import { AliasInput, isUnknown } from '../../agents/alias-input.tsx';
import { language, words } from '../../i18n/language.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { wholeNumber } from '../../parts/format.ts';
import type { SelectedTask } from './selection.ts';

const NAMED = 3;

type BulkDialogProps = {
  action: 'retry' | 'cancel' | 'reassign';
  tasks: readonly SelectedTask[];
  onClose(): void;
  onConfirm(value: string): void;
};

export function BulkDialog({ action, tasks, onClose, onConfirm }: BulkDialogProps) {
  const n = tasks.length;
  const { tasks: text, task, send } = words.value;
  const value = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const shown = wholeNumber(n, language.value);
  const confirm = (event: Event) => {
    event.preventDefault();
    const given = value.value.trim();
    if (action === 'reassign' && given === '') problem.value = send.needAlias;
    else onConfirm(given);
  };
  return (
    <Dialog title={text.bulk.title[action](n, shown)} onClose={onClose}>
      <form class="form" noValidate onSubmit={confirm}>
        <div class="quote">
          {tasks.slice(0, NAMED).map(({ task_id, headline }) => (
            <p key={task_id} dir="auto">
              {headline}
            </p>
          ))}
          {n > NAMED && text.bulk.more(wholeNumber(n - NAMED, language.value))}
        </div>
        {action === 'cancel' && (
          <TextField id="bulk-reason" label={text.cancelReason} value={value} autoComplete="off" autoFocus />
        )}
        {action === 'reassign' && (
          <AliasInput
            id="bulk-alias"
            label={task.reassignTo}
            value={value}
            error={problem.value}
            suggestsIdle
            autoFocus
          />
        )}
        <div class="form-actions">
          <button
            type="submit"
            class={`button ${action === 'cancel' ? 'button-danger' : 'button-primary'}`}
            autoFocus={action === 'retry'}
          >
            {action === 'reassign' && isUnknown(value.value.trim()) ? task.reassignNew : text.bulk[action](shown)}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {action === 'cancel' ? text.bulk.keep : words.value.common.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
