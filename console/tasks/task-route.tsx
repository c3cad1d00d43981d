// The sender and the recipient of a task, or the recipient only.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';

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
