// The actions available for a task in its current status. The result arrives over the event stream.
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, mayMove } from '../../server/domain/task-status.ts';
import { networkAndActor } from '../account/account.ts';
import { isOwnInbox } from '../agents/alias-input.tsx';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { type MessageRecord, retryTask } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { openSend } from '../messages/open-send.ts';
import { useProblem } from '../parts/action-dialog.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import type { TaskAct } from './advice.ts';
import { AnswerDialog } from './dialogs/answer-dialogs.tsx';
import { CancelDialog, ReassignDialog, SettleDialog } from './dialogs/task-dialogs.tsx';
import { agentAnswered } from './talk.ts';

type Asked = 'answer' | 'settle' | 'cancel' | 'reassign' | null;

type TaskActionsProps = {
  task: TaskRecord;
  advised: TaskAct | undefined;
  /** The open questions of its agent. */
  questions: readonly MessageRecord[];
};

/** The advised action comes as the primary button; without advice, the usual one. */
export function TaskActions({ task, advised, questions }: TaskActionsProps) {
  const { tasks: text, task: own, answer, settle } = words.value;
  const asked = useSignal<Asked>(null);
  const close = () => (asked.value = null);
  const finish = (answered?: MessageRecord) => {
    agentAnswered(task.to_name, answered);
    close();
  };
  const primary = advised ?? (isForPeople(task) ? 'settle' : 'answer');
  // A task that has ended loses the button that had the focus.
  const leave = () => {
    close();
    setTimeout(() => document.getElementById('content')?.focus());
  };
  return (
    <div class="actions">
      {isLive(task) && (
        <>
          {!isForPeople(task) && (
            <Ask icon="message" asked={asked} what="answer" isPrimary={primary === 'answer'}>
              {answer.open}
            </Ask>
          )}
          <Ask icon="replied" asked={asked} what="settle" isPrimary={primary === 'settle'}>
            {settle.open}
          </Ask>
          <Ask icon="arrow" asked={asked} what="reassign" isPrimary={primary === 'reassign'}>
            {own.reassign}
          </Ask>
          <Ask icon="cancelled" asked={asked} what="cancel">
            {text.cancel}
          </Ask>
        </>
      )}
      {mayMove(task, 'retry') && (
        <>
          <Retry task={task} />
          <Ask icon="arrow" asked={asked} what="reassign">
            {own.retryOn}
          </Ask>
        </>
      )}
      <button type="button" class="button" data-command onClick={() => openSend(task.to_name)}>
        <Icon name="send" />
        {own.followUp}
      </button>
      {asked.value === 'answer' && (
        <AnswerDialog alias={task.to_name} task={task} questions={questions} onClose={close} onDone={finish} />
      )}
      {asked.value === 'settle' && <SettleDialog task={task} onClose={close} onDone={leave} />}
      {asked.value === 'cancel' && <CancelDialog task={task} onClose={close} onDone={leave} />}
      {asked.value === 'reassign' && <ReassignDialog task={task} onClose={close} onDone={leave} />}
    </div>
  );
}

/** A task for the signed-in person or for `hub` has no agent that could see an answer. */
export function isForPeople({ to_name }: TaskRecord): boolean {
  return isOwnInbox(to_name);
}

function Ask({
  icon,
  asked,
  what,
  isPrimary = false,
  children,
}: {
  icon: IconName;
  asked: Signal<Asked>;
  what: Asked;
  isPrimary?: boolean;
  children: ComponentChildren;
}) {
  return (
    <button
      type="button"
      class={`button ${isPrimary ? 'button-primary' : ''}`}
      data-command
      onClick={() => (asked.value = what)}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

function Retry({ task }: { task: TaskRecord }) {
  const { tasks: text } = words.value;
  const problem = useProblem();
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
      <button type="button" class="button button-primary" data-command onClick={retry}>
        <Icon name="retry" />
        {text.retry}
      </button>
      {problem.value !== null && <Notice tone="error">{problem.value}</Notice>}
    </>
  );
}
