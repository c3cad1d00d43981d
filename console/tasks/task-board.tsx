// The task board: one live list per status column.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import { TASK_STATUSES } from '../../server/domain/task-status.ts';
import { language, words } from '../i18n/language.ts';
import { taskCounts } from '../live/store.ts';
import { Age } from '../parts/age.tsx';
import { headline, wholeNumber } from '../parts/format.ts';
import { useFreeze, useFrozenList } from '../parts/freeze.ts';
import { Icon } from '../parts/icon.tsx';
import { ListFailed } from '../parts/load-failed.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskPriority } from '../parts/status.tsx';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { taskPath, tasksPath } from '../routes.ts';
import { useTaskList } from './list/recent-lists.ts';
import { isFiltered, type TaskFilter } from './task-filter.ts';
import { TaskRoute } from './task-route.tsx';
import { ShortWhy } from './why-sentence.tsx';

const CARDS = 30;

export function TaskBoard({ filter }: { filter: TaskFilter }) {
  return (
    <div class="board" tabIndex={0} role="region" aria-label={words.value.tasks.views.board}>
      {TASK_STATUSES.map((status) => (
        <Column key={status + JSON.stringify(filter)} status={status} filter={{ ...filter, status }} />
      ))}
    </div>
  );
}

function Column({ status, filter }: { status: TaskStatus; filter: TaskFilter }) {
  const list = useTaskList(filter, CARDS);
  const { ref, isFrozen } = useFreeze<HTMLElement>();
  useFrozenList(list, isFrozen);
  const rows = list.rows.value;
  const { age, ...plain } = filter;
  const path = tasksPath({ ...plain, age });
  return (
    <section class="column" ref={ref} data-status={status} aria-label={words.value.taskStatus[status]}>
      <h2 class="column-head">
        <Icon name={status} />
        {words.value.taskStatus[status]}
        <Total status={status} filter={filter} found={list.total.value ?? rows?.length} />
      </h2>
      <NewItems n={list.waiting.value} onShow={list.showWaiting} />
      {list.failed.value && <ListFailed onRetry={list.load} />}
      {rows === null && !list.failed.value && <SkeletonRows />}
      {rows?.length === 0 && <p class="column-empty">{words.value.tasks.columnEmpty}</p>}
      <WindowedRows tag="ul" class="cards" rows={rows ?? []} keyOf={keyOf} render={(task) => <Card task={task} />} />
      {list.hasMore.value && (
        <a class="button button-small column-more" href={path}>
          {words.value.tasks.showAllInTable}
        </a>
      )}
    </section>
  );
}

const keyOf = ({ task_id }: TaskRecord) => task_id;

type TotalProps = { status: TaskStatus; filter: TaskFilter; found: number | undefined };

/** Counts per status update with every live event; counts of a filter come from the hub. */
function Total({ status, filter: { status: _, ...filter }, found }: TotalProps) {
  const number = isFiltered(filter)
    ? found
    : (taskCounts.value?.[status] ?? (taskCounts.value === null ? undefined : 0));
  return number === undefined ? null : <span class="column-total">{wholeNumber(number, language.value)}</span>;
}

function Card({ task }: { task: TaskRecord }) {
  return (
    <li class="task-card" data-status={task.status}>
      <a class="row-link" href={taskPath(task.task_id)} dir="auto">
        {headline(task.content)}
      </a>
      <ShortWhy task={task} />
      <span class="task-card-foot">
        <TaskRoute task={task} withSender={false} />
        <TaskPriority priority={task.priority} />
        <Age of={task.created_at} />
      </span>
    </li>
  );
}
