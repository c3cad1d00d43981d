// The tasks of the network as a table or a board, filtered by the address.
import { useEffect } from 'preact/hooks';
import { PRIORITIES, TASK_STATUSES } from '../../server/domain/task-status.ts';
import { ExportButton } from '../export/export-button.tsx';
import { FilterMenu } from '../find/saved/filter-menu.tsx';
import { useAddress } from '../frame/address.ts';
import { language, words } from '../i18n/language.ts';
import { readAhead } from '../live/load.ts';
import { agents, isStale, mayWrite, taskCounts, taskTotal } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { ViewSwitch } from '../parts/choice.tsx';
import { Counts } from '../parts/counts.tsx';
import { AliasFilter, FilterBar, FilterSelect } from '../parts/filter-bar.tsx';
import { wholeNumber } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { LoadFailed } from '../parts/load-failed.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { tasksPath } from '../routes.ts';
import { tasksToExport } from './export-tasks.ts';
import { useTaskList } from './list/recent-lists.ts';
import { TaskBoard } from './task-board.tsx';
import { isFiltered, TASK_AGES, type TaskFilter, taskFilterOf } from './task-filter.ts';
import { TaskTable } from './task-table.tsx';

export default function TasksPage() {
  const { query } = useAddress();
  const text = words.value.tasks;
  const isBoard = query['view'] === 'board';
  const filter = taskFilterOf(query);
  useEffect(() => void readAhead(), []);
  return (
    <div class="page" data-wide={isBoard} data-stale={isStale.value}>
      <PageHead title={text.title} total={taskCounts.value === null ? undefined : taskTotal.value}>
        <TaskViews isBoard={isBoard} />
        {mayWrite.value && (
          <button type="button" class="button button-primary" onClick={() => openSend(filter.to ?? '')}>
            <Icon name="send" />
            {words.value.send.title.task}
          </button>
        )}
      </PageHead>
      <LoadFailed />
      {isBoard ? <Board filter={filter} /> : <Table filter={filter} />}
    </div>
  );
}

/** Rows per page. This many render within 100 ms on a slow machine. */
const PAGE = 60;

function Table({ filter }: { filter: TaskFilter }) {
  const list = useTaskList(filter, PAGE);
  return (
    <section class="panel" aria-label={words.value.tasks.title}>
      <StatusCounts />
      <Filters isBoard={false} total={list.total.value} />
      <TaskTable key={JSON.stringify(filter)} list={list} isAlone={!isFiltered(filter)} />
    </section>
  );
}

function Board({ filter }: { filter: TaskFilter }) {
  return (
    <>
      <section class="panel" aria-label={words.value.tasks.title}>
        <Filters isBoard total={undefined} />
      </section>
      <TaskBoard filter={filter} />
    </>
  );
}

function TaskViews({ isBoard }: { isBoard: boolean }) {
  const { pathWith } = useAddress();
  const { view, views } = words.value.tasks;
  const board = pathWith({ view: 'board', status: undefined });
  return (
    <ViewSwitch
      label={view}
      options={[
        { icon: 'table', label: views.table, href: pathWith({ view: undefined }), isCurrent: !isBoard },
        { icon: 'board', label: views.board, href: board, isCurrent: isBoard },
      ]}
    />
  );
}

function StatusCounts() {
  const { query, pathWith } = useAddress();
  const { tasks: text, taskStatus } = words.value;
  const known = taskCounts.value;
  const chosen = query['status'];
  const counts = TASK_STATUSES.map((status) => ({
    status,
    label: taskStatus[status],
    count: known === null ? undefined : (known[status] ?? 0),
    href: pathWith({ status: chosen === status ? undefined : status }),
    chosen: chosen === status,
    sign: <Icon name={status} />,
  }));
  return <Counts label={text.filter} counts={counts} />;
}

function Filters({ isBoard, total }: { isBoard: boolean; total: number | undefined }) {
  const { query } = useAddress();
  const { filters, priority } = words.value;
  const aliases = agents.value?.map(({ alias }) => alias) ?? [];
  const clearPath = isFiltered(taskFilterOf(query)) ? tasksPath({ view: isBoard ? 'board' : undefined }) : undefined;
  return (
    <FilterBar
      search={filters.searchTasks}
      clearPath={clearPath}
      note={total === undefined ? undefined : filters.matching(total, wholeNumber(total, language.value))}
    >
      <AliasFilter name="to" label={filters.to} aliases={aliases} />
      <AliasFilter name="from" label={filters.from} aliases={aliases} />
      <FilterSelect
        name="priority"
        label={filters.priority}
        any={filters.anyPriority}
        options={PRIORITIES.map((value) => ({ value, label: priority[value] }))}
      />
      <FilterSelect
        name="age"
        label={filters.age}
        any={filters.anyAge}
        options={TASK_AGES.map((value) => ({ value, label: filters.ages[value] }))}
      />
      <FilterMenu page="tasks" />
      <ExportButton list={tasksToExport(taskFilterOf(query))} />
    </FilterBar>
  );
}
