// One task: a line that opens to all of it. The whole line is the button's, so that a click anywhere on it opens it.
import { useSignal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { excerpt } from '../format.ts';
import { words } from '../i18n/language.ts';
import { Age } from './age.tsx';
import { Icon } from './icon.tsx';
import { TaskPriority, TaskState } from './status.tsx';
import { TaskDetail } from './task-detail.tsx';

export function TaskRow({ task }: { task: TaskRecord }) {
  const open = useSignal(false);
  const detail = `detail-${task.task_id}`;
  return (
    <>
      <tr role="row" class="row task-row" data-status={task.status} data-open={open.value}>
        <td role="cell" class="cell-status"><TaskState status={task.status} /></td>
        <td role="cell" class="cell-content">
          <button type="button" class="row-opener" aria-expanded={open.value} aria-controls={detail} onClick={() => (open.value = !open.value)}>
            <Icon name="chevron" />
            <span class="row-text" dir="auto">{excerpt(task.content)}</span>
          </button>
        </td>
        <td role="cell" class="cell-route"><Route task={task} /></td>
        <td role="cell" class="cell-priority"><TaskPriority priority={task.priority} /></td>
        <td role="cell" class="cell-age"><Age of={task.created_at} /></td>
      </tr>
      {open.value && (
        <tr role="row" class="detail-row" id={detail}>
          <td role="cell" colSpan={5}><TaskDetail task={task} /></td>
        </tr>
      )}
    </>
  );
}

function Route({ task }: { task: TaskRecord }) {
  return (
    <span class="route" title={`${task.from_name} → ${task.to_name}`}>
      <span class="route-name" dir="auto">{task.from_name}</span>
      <Icon name="arrow" />
      <span class="off-screen">{words.value.tasks.to}</span>
      <span class="route-name" dir="auto">{task.to_name}</span>
    </span>
  );
}
