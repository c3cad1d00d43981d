// The actions available for a task in its current status. The result arrives over the event stream.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, mayMove } from '../../server/domain/task-status.ts';
import { networkAndActor } from '../account/account.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { retryTask } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { openSend } from '../messages/send-dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { CancelDialog, ReassignDialog, ReplyDialog } from './task-dialogs.tsx';

type Asked = 'reply' | 'cancel' | 'reassign' | null;

export function TaskActions({ task }: { task: TaskRecord }) {
  const { tasks: text, task: own } = words.value;
  const asked = useSignal<Asked>(null);
  const close = () => (asked.value = null);
  return (
    <div class="actions">
      {isLive(task) && (
        <>
          <Ask icon="replied" asked={asked} what="reply">
            {own.reply}
          </Ask>
          <Ask icon="arrow" asked={asked} what="reassign">
            {own.reassign}
          </Ask>
          <Ask icon="cancelled" asked={asked} what="cancel">
            {text.cancel}
          </Ask>
        </>
      )}
      {mayMove(task, 'retry') && <Retry task={task} />}
      <button type="button" class="button" onClick={() => openSend(task.to_name)}>
        <Icon name="send" />
        {own.followUp}
      </button>
      {asked.value === 'reply' && <ReplyDialog task={task} onClose={close} />}
      {asked.value === 'cancel' && <CancelDialog task={task} onClose={close} />}
      {asked.value === 'reassign' && <ReassignDialog task={task} onClose={close} />}
    </div>
  );
}

function Ask({
  icon,
  asked,
  what,
  children,
}: {
  icon: IconName;
  asked: Signal<Asked>;
  what: Asked;
  children: ComponentChildren;
}) {
  return (
    <button type="button" class="button" onClick={() => (asked.value = what)}>
      <Icon name={icon} />
      {children}
    </button>
  );
}

function Retry({ task }: { task: TaskRecord }) {
  const { tasks: text } = words.value;
  const problem = useSignal<string | null>(null);
  const retry = async () => {
    try {
      problem.value = null;
      showToast({ text: text.retried((await retryTask(task.task_id, networkAndActor(task))).retried_to) });
    } catch (error) {
      problem.value = errorText(error);
    }
  };
  return (
    <>
      <button type="button" class="button button-primary" onClick={retry}>
        <Icon name="retry" />
        {text.retry}
      </button>
      {problem.value !== null && <Notice tone="error">{problem.value}</Notice>}
    </>
  );
}
