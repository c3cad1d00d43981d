// The task table: row selection, freezing while in use, and paging.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { agents, mayWrite, taskTotal } from '../live/store.ts';
import { Empty, NoResults } from '../parts/empty.tsx';
import { useFreeze, useFrozenList } from '../parts/freeze.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { PATHS } from '../routes.ts';
import { BulkBar } from './bulk/bulk-bar.tsx';
import { narrowTo, select, selected, selectTo, toggle } from './bulk/selection.ts';
import type { TaskList } from './list/task-list.ts';
import { TaskRow } from './task-row.tsx';

/** `isAlone` means that no filter is set, so an empty list means an empty network. */
export function TaskTable({ list, isAlone }: { list: TaskList; isAlone: boolean }) {
  const { ref, isFrozen } = useFreeze<HTMLDivElement>();
  useFrozenList(list, isFrozen);
  const rows = list.rows.value;
  useEffect(() => void (rows && narrowTo(list.filter, rows)), [rows]);
  return (
    <div ref={ref}>
      {mayWrite.value && (
        <BulkBar
          filter={list.filter}
          shown={rows?.length ?? 0}
          matching={isAlone ? taskTotal.value : list.total.value}
        />
      )}
      <NewItems n={list.waiting.value} onShow={list.showWaiting} />
      {list.failed.value && <ListFailed onRetry={list.load} />}
      {rows === null && !list.failed.value && <SkeletonRows />}
      {rows?.length === 0 && <NoTasks isAlone={isAlone} />}
      {rows !== null && rows.length > 0 && <Rows rows={rows} />}
      {list.hasMore.value && <More load={list.loadMore} />}
    </div>
  );
}

function Rows({ rows }: { rows: readonly TaskRecord[] }) {
  const choose = (task_id: string, isRange: boolean) =>
    isRange ? selectTo(task_id, rows.map(keyOf)) : toggle(task_id);
  return (
    <table class="list task-list" role="table" aria-rowcount={rows.length + 1} data-selectable={mayWrite.value}>
      <Head rows={rows} />
      <WindowedRows
        tag="tbody"
        rows={rows}
        keyOf={keyOf}
        render={(task) => <TaskRow task={task} onSelect={choose} />}
      />
    </table>
  );
}

const keyOf = ({ task_id }: TaskRecord) => task_id;

const COLUMNS = ['status', 'content', 'route', 'priority', 'age'] as const;

function Head({ rows }: { rows: readonly TaskRecord[] }) {
  const { column } = words.value.tasks;
  return (
    <thead role="rowgroup">
      <tr role="row">
        {mayWrite.value && (
          <th role="columnheader" scope="col" class="cell-select">
            <SelectAll rows={rows} />
          </th>
        )}
        {COLUMNS.map((name) => (
          <th key={name} role="columnheader" scope="col" class={`cell-${name}`}>
            {column[name]}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function SelectAll({ rows }: { rows: readonly TaskRecord[] }) {
  const ticked = rows.filter(({ task_id }) => selected.value.has(task_id)).length;
  const isAll = ticked === rows.length;
  return (
    <input
      type="checkbox"
      aria-label={words.value.tasks.selectAll}
      title={words.value.tasks.selectAll}
      checked={isAll}
      ref={(box) => void (box && (box.indeterminate = ticked > 0 && !isAll))}
      onChange={() => select(isAll ? [] : rows.map(({ task_id }) => task_id))}
    />
  );
}

function More({ load }: { load(): Promise<void> }) {
  const isLoading = useSignal(false);
  const showOlder = async () => {
    isLoading.value = true;
    await load();
    isLoading.value = false;
  };
  return (
    <button type="button" class="button panel-more" aria-disabled={isLoading.value} onClick={showOlder}>
      {isLoading.value ? words.value.loading : words.value.tasks.older}
    </button>
  );
}

function NoTasks({ isAlone }: { isAlone: boolean }) {
  const { tasks: text } = words.value;
  const hasAgents = Boolean(agents.value?.length);
  if (isAlone) {
    return (
      <Empty title={text.emptyTitle} text={hasAgents ? text.emptyText : text.emptyTextNoAgents}>
        {!hasAgents && (
          <a class="button button-primary" href={PATHS.connect}>
            {words.value.frame.connect}
          </a>
        )}
      </Empty>
    );
  }
  return <NoResults clearPath={PATHS.tasks} />;
}
