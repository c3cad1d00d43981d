// What names a task: the sender and the recipient, or the recipient only; and a link with its first line.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { headline } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { taskPath } from '../routes.ts';

type TaskRouteProps = { task: Pick<TaskRecord, 'from_name' | 'to_name'>; withSender?: boolean };

export function TaskRoute({ task, withSender = true }: TaskRouteProps) {
  return (
    <span class="route" title={`${task.from_name} → ${task.to_name}`}>
      {withSender && (
        <span class="route-name" dir="auto">
          {task.from_name}
        </span>
      )}
      <Icon name="arrow" />
      <span class="visually-hidden">{words.value.tasks.to}</span>
      <span class="route-name" dir="auto">
        {task.to_name}
      </span>
    </span>
  );
}

export function TaskLink({ task }: { task: Pick<TaskRecord, 'task_id' | 'content'> }) {
  return (
    <p class="quote" dir="auto">
      <a class="link" href={taskPath(task.task_id)}>
        {headline(task.content)}
      </a>
    </p>
  );
}
