// The dialogs of a task: reply, cancel and reassign.
import { useSignal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { OUTCOMES, type Outcome } from '../../server/domain/task-status.ts';
import { networkAndActor } from '../account/account.ts';
import { AliasInput } from '../agents/alias-input.tsx';
import { words } from '../i18n/language.ts';
import { cancelTask, reassignTask, sendReply } from '../live/api.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { Choice } from '../parts/choice.tsx';
import { TextArea, TextField } from '../parts/field.tsx';

type TaskDialogProps = { task: TaskRecord; onClose(): void };

export function ReplyDialog({ task, onClose }: TaskDialogProps) {
  const { task: text, taskStatus } = words.value;
  const reply = useSignal('');
  const status = useSignal<Outcome>('replied');
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onClose, async () => {
    missing.value = reply.value.trim() === '' ? text.needReply : undefined;
    if (missing.value !== undefined) return undefined;
    await sendReply(task.task_id, { ...networkAndActor(task), text: reply.value, status: status.value });
    return text.replied;
  });
  const options = OUTCOMES.map((value) => ({ value, label: taskStatus[value] }));
  return (
    <ActionDialog title={text.replyTitle} form={form} submit={text.reply} onClose={onClose}>
      <TextArea id="reply-text" label={text.replyLabel} value={reply} error={missing.value} autoFocus />
      <Choice
        name="reply-status"
        legend={text.replyStatus}
        options={options}
        chosen={status.value}
        onChoose={(value) => (status.value = value)}
      />
    </ActionDialog>
  );
}

export function CancelDialog({ task, onClose }: TaskDialogProps) {
  const { tasks: text } = words.value;
  const reason = useSignal('');
  const form = useAction(onClose, async () => {
    await cancelTask(task.task_id, { ...networkAndActor(task), reason: reason.value.trim() || undefined });
    return text.cancelled;
  });
  return (
    <ActionDialog
      title={text.cancel}
      form={form}
      submit={text.cancelConfirm}
      isDanger
      close={text.keepTask}
      onClose={onClose}
    >
      <TextField id="cancel-reason" label={text.cancelReason} value={reason} autoComplete="off" autoFocus />
    </ActionDialog>
  );
}

export function ReassignDialog({ task, onClose }: TaskDialogProps) {
  const { task: text, send } = words.value;
  const alias = useSignal('');
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onClose, async () => {
    const new_alias = alias.value.trim();
    missing.value = new_alias === '' ? send.needAlias : undefined;
    if (missing.value !== undefined) return undefined;
    await reassignTask(task.task_id, { ...networkAndActor(task), new_alias });
    return text.reassigned(new_alias);
  });
  return (
    <ActionDialog title={text.reassignTitle} form={form} submit={text.reassign} onClose={onClose}>
      <AliasInput id="reassign-alias" label={text.reassignTo} value={alias} error={missing.value} autoFocus />
    </ActionDialog>
  );
}
