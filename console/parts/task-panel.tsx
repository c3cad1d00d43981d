// The tasks of the network, newest first: how many are in which state, and the list of them or of those in one state.
import { useSignal } from '@preact/signals';
import type { TaskRecord, TaskStatus } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { loadOlderTasks } from '../load.ts';
import { livePath } from '../routes.ts';
import { TASK_STATUSES } from '../statuses.ts';
import { agents, mayWrite, olderTasks, taskCounts, tasks, taskTotal } from '../store.ts';
import { Counts } from './counts.tsx';
import { Empty } from './empty.tsx';
import { Icon } from './icon.tsx';
import { Panel } from './panel.tsx';
import { openSendTask } from './send-task.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { TaskRow } from './task-row.tsx';

export type TaskPanelProps = { status: TaskStatus | undefined; agents: string | undefined };

export function TaskPanel(props: TaskPanelProps) {
  return (
    <Panel id="tasks" title={words.value.tasks.title} total={taskCounts.value === null ? undefined : taskTotal.value} act={<SendButton />}>
      <TaskCounts {...props} />
      {tasks.value === null ? <SkeletonRows /> : <TaskList {...props} list={tasks.value} />}
    </Panel>
  );
}

function SendButton() {
  if (!mayWrite.value) return null;
  return (
    <button type="button" class="button" onClick={() => openSendTask('')}>
      <Icon name="send" />
      {words.value.send.act}
    </button>
  );
}

function TaskCounts({ status: chosen, agents: agentFilter }: TaskPanelProps) {
  const { tasks: text, taskStatus } = words.value;
  const known = taskCounts.value;
  const counts = TASK_STATUSES.map((status) => ({
    status,
    label: taskStatus[status],
    count: known === null ? undefined : (known[status] ?? 0),
    href: livePath({ agents: agentFilter, tasks: chosen === status ? undefined : status }),
    chosen: chosen === status,
    sign: <Icon name={status} />,
  }));
  return <Counts label={text.filter} counts={counts} />;
}

function TaskList({ list, status, agents: agentFilter }: TaskPanelProps & { list: readonly TaskRecord[] }) {
  const { tasks: text, taskStatus } = words.value;
  if (list.length > 0) return <TaskTable list={list} />;
  if (status === undefined) return <Empty title={text.emptyTitle} text={agents.value?.length ? text.emptyText : text.emptyTextNoAgents} />;
  return (
    <Empty title={text.noneTitle(taskStatus[status])}>
      <a class="link" href={livePath({ agents: agentFilter })}>{text.clear}</a>
    </Empty>
  );
}

/** So many rows are drawn at a time; a day of live tasks must not weigh on the page. */
const ROWS = 100;

function TaskTable({ list }: { list: readonly TaskRecord[] }) {
  const rows = useSignal(ROWS);
  const showOlder = async () => {
    if (list.length <= rows.value) await loadOlderTasks();
    rows.value += ROWS;
  };
  const more = list.length > rows.value || olderTasks.value !== undefined;
  return (
    <>
      <table class="list task-list" role="table">
        <TaskHead />
        <tbody role="rowgroup">
          {list.slice(0, rows.value).map((task) => <TaskRow key={task.task_id} task={task} />)}
        </tbody>
      </table>
      {more && <button type="button" class="button panel-more" onClick={showOlder}>{words.value.tasks.older}</button>}
    </>
  );
}

function TaskHead() {
  const { column } = words.value.tasks;
  return (
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" class="cell-status">{column.status}</th>
        <th role="columnheader" class="cell-content">{column.content}</th>
        <th role="columnheader" class="cell-route">{column.route}</th>
        <th role="columnheader" class="cell-priority">{column.priority}</th>
        <th role="columnheader" class="cell-age">{column.age}</th>
      </tr>
    </thead>
  );
}
