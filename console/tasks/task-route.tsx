// The sender and the recipient of a task.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';

export function TaskRoute({ task }: { task: Pick<TaskRecord, 'from_name' | 'to_name'> }) {
  return (
    <span class="route" title={`${task.from_name} → ${task.to_name}`}>
      <span class="route-name" dir="auto">
        {task.from_name}
      </span>
      <Icon name="arrow" />
      <span class="visually-hidden">{words.value.tasks.to}</span>
      <span class="route-name" dir="auto">
        {task.to_name}
      </span>
    </span>
  );
}
