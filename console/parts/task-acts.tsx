// What a person may do with a task in its present state. The outcome comes back through the stream like everybody's.
import { useSignal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { announce } from '../announcements.ts';
import { cancelTask, retryTask } from '../api.ts';
import { problemText } from '../problems.ts';
import { words } from '../i18n/language.ts';
import { mayCancel, mayRetry } from '../statuses.ts';
import { TextField } from './field.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';

export function TaskActs({ task }: { task: TaskRecord }) {
  const problem = useSignal<string | null>(null);
  const attempt = async (act: () => Promise<string>) => {
    problem.value = null;
    try {
      announce(await act());
    } catch (error) {
      problem.value = problemText(error);
    }
  };
  return (
    <div class="acts">
      {mayCancel(task.status) && <Cancel task={task} attempt={attempt} />}
      {mayRetry(task.status) && <Retry task={task} attempt={attempt} />}
      {problem.value !== null && <Notice tone="error">{problem.value}</Notice>}
    </div>
  );
}

type ActProps = { task: TaskRecord; attempt(act: () => Promise<string>): Promise<void> };

function Retry({ task, attempt }: ActProps) {
  const { tasks: text } = words.value;
  const retry = () => attempt(async () => text.retried((await retryTask(task.task_id, { network_id: task.network_id })).retried_to));
  return (
    <button type="button" class="button" onClick={retry}>
      <Icon name="retry" />
      {text.retry}
    </button>
  );
}

/** Two steps, since an agent may lose work by it: the first asks, the second does. */
function Cancel({ task, attempt }: ActProps) {
  const { tasks: text } = words.value;
  const asking = useSignal(false);
  const reason = useSignal('');
  const cancel = (event: Event) => {
    event.preventDefault();
    const act = { network_id: task.network_id, reason: reason.value.trim() || undefined };
    void attempt(async () => {
      await cancelTask(task.task_id, act);
      return text.cancelled;
    });
  };
  if (!asking.value) return <button type="button" class="button" onClick={() => (asking.value = true)}>{text.cancel}</button>;
  return (
    <form class="form-line cancel-form" onSubmit={cancel}>
      <TextField id={`reason-${task.task_id}`} label={text.cancelReason} value={reason} autoFocus autoComplete="off" />
      <button type="submit" class="button button-danger">{text.cancelConfirm}</button>
      <button type="button" class="button button-quiet" onClick={() => (asking.value = false)}>{text.cancelKeep}</button>
    </form>
  );
}
