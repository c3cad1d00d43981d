// A task as a row. The whole row links to its page.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { mayWrite } from '../live/store.ts';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { taskPath } from '../routes.ts';
import { selected } from './bulk/selection.ts';
import { TaskRoute } from './task-route.tsx';
import { ShortWhy } from './why-sentence.tsx';

type TaskRowProps = { task: TaskRecord; onSelect(task_id: string, isRange: boolean): void };

export function TaskRow({ task, onSelect }: TaskRowProps) {
  const isSelected = selected.value.has(task.task_id);
  const content = headline(task.content);
  return (
    <tr role="row" class="row" data-status={task.status} data-selected={isSelected}>
      {mayWrite.value && (
        <td role="cell" class="cell-select">
          <label class="checkbox-label" onMouseDown={keepTextUnselected}>
            <input
              type="checkbox"
              aria-label={words.value.tasks.select(content)}
              checked={isSelected}
              onClick={({ shiftKey }) => onSelect(task.task_id, shiftKey)}
            />
          </label>
        </td>
      )}
      <td role="cell" class="cell-status">
        <TaskState status={task.status} />
      </td>
      <td role="cell" class="cell-content">
        <a class="row-link" href={taskPath(task.task_id)} dir="auto">
          {content}
        </a>
        {task.attempt > 1 && <span class="attempt">{words.value.task.attemptNumber(task.attempt)}</span>}
        <ShortWhy task={task} />
      </td>
      <td role="cell" class="cell-route">
        <TaskRoute task={task} />
      </td>
      <td role="cell" class="cell-priority">
        <TaskPriority priority={task.priority} />
      </td>
      <td role="cell" class="cell-age">
        <Age of={task.created_at} />
      </td>
    </tr>
  );
}

/** A click with Shift would otherwise select text. */
function keepTextUnselected(event: MouseEvent): void {
  if (event.shiftKey) event.preventDefault();
}
