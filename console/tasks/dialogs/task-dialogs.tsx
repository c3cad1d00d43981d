// The dialogs of a task: settle, cancel and reassign.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { isLive, OUTCOMES, type Outcome } from '../../../server/domain/task-status.ts';
import { networkAndActor } from '../../account/account.ts';
import { AliasInput, isOwnInbox, isUnknown } from '../../agents/alias-input.tsx';
import { showToast } from '../../frame/toast.ts';
import { words } from '../../i18n/language.ts';
import { cancelTask, sendReply, showTask } from '../../live/api.ts';
import { keptOf } from '../../live/kept.ts';
import { ActionDialog, useAction } from '../../parts/action-dialog.tsx';
import { Choice } from '../../parts/choice.tsx';
import { TextArea, TextField } from '../../parts/field.tsx';
import { headline } from '../../parts/format.ts';
import { AgentText } from '../../text/agent-text.tsx';
import { handOver } from '../hand-over.ts';
import { TaskRoute } from '../task-route.tsx';

type TaskDialogProps = { task: TaskRecord; onClose(): void; onDone?: () => void };

/** Ends the task with a result. */
export function SettleDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { settle: text, taskStatus } = words.value;
  const result = keptOf(`settle.${task.task_id}`);
  const status = useSignal<Outcome>('replied');
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onDone, async () => {
    missing.value = result.value.trim() === '' ? text.need : undefined;
    if (missing.value !== undefined) return undefined;
    await sendReply(task.task_id, { ...networkAndActor(task), text: result.value, status: status.value });
    result.value = '';
    return text.done;
  });
  const options = OUTCOMES.map((value) => ({ value, label: taskStatus[value] }));
  return (
    <ActionDialog title={text.title} form={form} submit={text.submit} onClose={onClose}>
      {isOwnInbox(task.to_name) ? <FullText task={task} /> : <Subject task={task} />}
      <p>{text.hint(task.from_name)}</p>
      <TextArea id="settle-text" label={text.label} value={result} error={missing.value} rows={4} autoFocus />
      <Choice
        name="settle-status"
        legend={text.outcome}
        options={options}
        chosen={status.value}
        onChoose={(value) => (status.value = value)}
      />
    </ActionDialog>
  );
}

/** Which task the dialog is about: a row or a page can show several. */
function Subject({ task }: { task: TaskRecord }) {
  return (
    <div class="quote">
      <bdi>{headline(task.content)}</bdi> <TaskRoute task={task} />
    </div>
  );
}

/** What the task asks of the person who settles it. */
function FullText({ task }: { task: TaskRecord }) {
  const text = useSignal(task.content);
  useEffect(() => {
    showTask(task.task_id, { network_id: task.network_id }).then(
      (shown) => (text.value = shown.task.content),
      () => {},
    );
  }, []);
  return (
    <blockquote class="quote answer-question" tabIndex={0}>
      <AgentText text={text.value} label={headline(task.content)} />
    </blockquote>
  );
}

export function CancelDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { tasks: text } = words.value;
  const reason = useSignal('');
  const form = useAction(onDone, async () => {
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
      <Subject task={task} />
      <TextField id="cancel-reason" label={text.cancelReason} value={reason} autoComplete="off" autoFocus />
    </ActionDialog>
  );
}

/** Moves a live task to another agent, or retries a settled one there. */
export function ReassignDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { task: text, send } = words.value;
  const alias = useSignal('');
  const isNew = isUnknown(alias.value.trim());
  const [title, submit] = isLive(task)
    ? [text.reassignTitle, isNew ? text.reassignNew : text.reassign]
    : [text.retryOnTitle, isNew ? text.retryNew : text.retryOnSubmit];
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onDone, async () => {
    const new_alias = alias.value.trim();
    missing.value = new_alias === '' ? send.needAlias : undefined;
    if (missing.value !== undefined) return undefined;
    await handOver(task, new_alias);
    const done = isLive(task) ? text.reassigned(new_alias) : words.value.tasks.retried(new_alias);
    if (!isNew) return done;
    showToast({ text: text.whyText.all([done, text.whyText.unknown(new_alias)]), tone: 'warning' });
    return '';
  });
  return (
    <ActionDialog title={title} form={form} submit={submit} onClose={onClose}>
      <Subject task={task} />
      <AliasInput
        id="reassign-alias"
        label={text.reassignTo}
        value={alias}
        error={missing.value}
        except={task.to_name}
        suggestsIdle
        autoFocus
      />
    </ActionDialog>
  );
}
