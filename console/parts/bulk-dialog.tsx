// Asks once more before many tasks are cancelled, or whom they are to go to.
import { useSignal } from '@preact/signals';
import { words } from '../i18n/language.ts';
import { AliasInput } from './alias-input.tsx';
import { Dialog } from './dialog.tsx';
import { TextField } from './field.tsx';

type BulkDialogProps = { act: 'cancel' | 'reassign'; n: number; onClose(): void; onConfirm(value: string): void };

export function BulkDialog({ act, n, onClose, onConfirm }: BulkDialogProps) {
  const { tasks: text, task, send } = words.value;
  const value = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const confirm = (event: Event) => {
    event.preventDefault();
    const given = value.value.trim();
    if (act === 'reassign' && given === '') problem.value = send.needAlias;
    else onConfirm(given);
  };
  const isCancel = act === 'cancel';
  return (
    <Dialog title={isCancel ? text.bulk.cancelTitle(n) : text.bulk.reassignTitle(n)} onClose={onClose}>
      <form class="form" noValidate onSubmit={confirm}>
        {isCancel
          ? <TextField id="bulk-reason" label={text.cancelReason} value={value} autoComplete="off" autoFocus />
          : <AliasInput id="bulk-alias" label={task.reassignTo} value={value} error={problem.value} autoFocus />}
        <div class="form-acts">
          <button type="submit" class={`button ${isCancel ? 'button-danger' : 'button-primary'}`}>{isCancel ? text.bulk.cancel(n) : text.bulk.reassign(n)}</button>
          <button type="button" class="button" onClick={onClose}>{isCancel ? text.cancelKeep : send.cancel}</button>
        </div>
      </form>
    </Dialog>
  );
}
