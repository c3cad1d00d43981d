// Sends the first task to the new agent and shows its result on the same page.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { account, freshToken } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { sendTask, showTask } from '../live/api.ts';
import { onLiveEvent } from '../live/live-events.ts';
import { RequestError } from '../live/request.ts';
import { agents, mayWrite } from '../live/store.ts';
import { useAction } from '../parts/action-dialog.tsx';
import { Copyable } from '../parts/copy.tsx';
import { TextArea } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { TaskState } from '../parts/status.tsx';
import { taskPath } from '../routes.ts';
import { AgentText } from '../text/agent-text.tsx';
import { replyCommand, TOKEN_PLACEHOLDER } from './client-lines.ts';
import { useHubUrl } from './hub-url.ts';
import { StalledTask } from './stalled.tsx';
import { Step } from './step.tsx';
import { stepsTaken } from './steps-taken.ts';

export function FirstTask({ reported }: { reported: string }) {
  const { connect } = words.value;
  const sent = stepsTaken().task_id;
  const alias = reported || agents.value?.find(({ status }) => status !== 'offline')?.alias;
  return (
    <Step number={4} title={connect.stepTask} state={sent.value !== '' ? 'done' : reported === '' ? 'open' : 'now'}>
      {alias === undefined && sent.value === '' && <p class="card-lead">{connect.noAgent}</p>}
      {alias !== undefined && sent.value === '' && mayWrite.value && (
        <Send alias={alias} onSent={(task_id) => (sent.value = task_id)} />
      )}
      {sent.value !== '' && <SentTask task_id={sent.value} />}
    </Step>
  );
}

function Send({ alias, onSent }: { alias: string; onSent(task_id: string): void }) {
  const { connect, send } = words.value;
  const task = useSignal(connect.defaultTask);
  const wrong = useSignal<string | undefined>(undefined);
  const form = useAction(
    () => {},
    async () => {
      wrong.value = task.value.trim() === '' ? send.needTask : undefined;
      if (wrong.value !== undefined) return undefined;
      const wanted = {
        alias,
        task: task.value,
        priority: 'normal',
        network_id: account.value?.network_id,
        from_session: account.value?.user.username,
      } as const;
      onSent((await sendTask(wanted)).task_id);
      return '';
    },
  );
  return (
    <form
      class="form"
      noValidate
      onSubmit={form.submit}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void form.submit(event);
      }}
    >
      {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
      <TextArea id="first-task" label={words.value.tasks.content} value={task} error={wrong.value} rows={2} />
      <div>
        <button type="submit" class="button button-primary" aria-disabled={form.isBusy.value}>
          {connect.send(alias)}
        </button>
      </div>
    </form>
  );
}

function SentTask({ task_id }: { task_id: string }) {
  const { connect, tasks } = words.value;
  const { client } = useAddress().query;
  const task = useSentTask(task_id);
  return (
    <div class="first-task" aria-live="polite">
      <p class="first-task-state">
        {task !== null && !isLive(task) ? connect.taskFinished : connect.taskSent}{' '}
        {task !== null && <TaskState status={task.status} />}
        <a class="link" href={taskPath(task_id)}>
          {connect.taskOpen}
        </a>
      </p>
      {task !== null && isLive(task) && client === 'curl' && <Answer task={task} />}
      {task?.status === 'delivered' && client !== 'curl' && <StalledTask key={task_id} task={task} />}
      {task?.result && <AgentText text={task.result} label={tasks.result} isInList />}
    </div>
  );
}

/** With curl no agent is running, so the user replies manually. */
function Answer({ task: { task_id, to_name, from_name } }: { task: TaskRecord }) {
  const { connect } = words.value;
  const agent = { url: useHubUrl(), token: freshToken.value ?? TOKEN_PLACEHOLDER, alias: to_name };
  return (
    <>
      <p class="field-hint">{connect.manualReply}</p>
      <Copyable text={replyCommand(agent, task_id, from_name)} what={connect.manualReply} />
    </>
  );
}

function useSentTask(task_id: string): TaskRecord | null {
  const task = useSignal<TaskRecord | null>(null);
  useEffect(() => {
    const leave = onLiveEvent((event) => {
      if (event.type === 'task' && event.task_id === task_id) task.value = event;
    });
    showTask(task_id, {}).then(
      (shown) => (task.value ??= shown.task),
      // Without its task, which the hub may have deleted since, this step has not been taken.
      (error: unknown) => error instanceof RequestError && error.status === 404 && (stepsTaken().task_id.value = ''),
    );
    return leave;
  }, [task_id]);
  return task.value;
}
