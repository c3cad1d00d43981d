// Tasks as a board: a column per status, each a list of its own that follows the network.
import { useSignalEffect } from '@preact/signals';
import type { TaskRecord, TaskStatus } from '../../server/domain/task.ts';
import { headline, wholeNumber } from '../format.ts';
import { useHold } from '../hold.ts';
import { language, words } from '../i18n/language.ts';
import { taskPath, tasksPath } from '../routes.ts';
import { TASK_STATUSES } from '../statuses.ts';
import { taskCounts } from '../store.ts';
import { isFiltered, type TaskFilter } from '../task-filter.ts';
import { useTaskList } from '../task-lists.ts';
import { Age } from './age.tsx';
import { Arrivals } from './arrivals.tsx';
import { Icon } from './icon.tsx';
import { ListFailed } from './list-failed.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { TaskPriority } from './status.tsx';
import { TaskRoute } from './task-route.tsx';

const CARDS = 30;

export function TaskBoard({ filter }: { filter: TaskFilter }) {
  return (
    <div class="board" tabIndex={0} role="region" aria-label={words.value.tasks.views.board}>
      {TASK_STATUSES.map((status) => <Column key={status + JSON.stringify(filter)} status={status} filter={{ ...filter, status }} />)}
    </div>
  );
}

function Column({ status, filter }: { status: TaskStatus; filter: TaskFilter }) {
  const list = useTaskList(filter, CARDS);
  const { place, isHeld } = useHold<HTMLElement>();
  useSignalEffect(() => list.hold(isHeld.value));
  const rows = list.rows.value;
  const { age, ...plain } = filter;
  const path = tasksPath({ ...plain, age });
  return (
    <section class="column" ref={place} data-status={status} aria-label={words.value.taskStatus[status]}>
      <h2 class="column-head">
        <Icon name={status} />
        {words.value.taskStatus[status]}
        <Total list={rows} status={status} filter={filter} hasMore={list.next.value !== undefined} />
      </h2>
      <Arrivals n={list.waiting.value} onLetIn={list.letIn} />
      {list.failed.value && <ListFailed onRetry={list.load} />}
      {rows === null && !list.failed.value && <SkeletonRows />}
      <ul class="cards">{rows?.map((task) => <Card key={task.task_id} task={task} />)}</ul>
      {list.next.value !== undefined && <a class="button button-small column-more" href={path}>{words.value.tasks.onlyShown}</a>}
    </section>
  );
}

type TotalProps = { list: readonly TaskRecord[] | null; status: TaskStatus; filter: TaskFilter; hasMore: boolean };

/** The hub counts whole statuses; of a filter only what is here is known. */
function Total({ list, status, filter: { status: _, ...filter }, hasMore }: TotalProps) {
  const all = isFiltered(filter) ? undefined : taskCounts.value?.[status] ?? (taskCounts.value === null ? undefined : 0);
  const number = all ?? list?.length;
  if (number === undefined) return null;
  return <span class="column-total">{wholeNumber(number, language.value)}{all === undefined && hasMore ? '+' : ''}</span>;
}

function Card({ task }: { task: TaskRecord }) {
  return (
    <li class="task-card" data-status={task.status}>
      <a class="row-link" href={taskPath(task.task_id)} dir="auto">{headline(task.content)}</a>
      <span class="task-card-foot">
        <TaskRoute task={task} />
        <TaskPriority priority={task.priority} />
        <Age of={task.created_at} />
      </span>
    </li>
  );
}
