// A task and what it led to, on the page of the task: a row for each task, a bar for each part of its attempts.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import { language, words } from '../i18n/language.ts';
import { listTaskEvents, listTasks } from '../live/api.ts';
import { hubTime, now } from '../live/clock.ts';
import type { LiveEvent } from '../live/live-events.ts';
import { useRefreshed } from '../live/refreshed.ts';
import { Panel } from '../overview/panel.tsx';
import { headline, preciseDuration, preciseTime, stampOf, timeOfDay } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskState } from '../parts/status.tsx';
import { sequencePath, taskPath } from '../routes.ts';
import { extentOf, type Gantt, type GanttRow, loadGantt, type Phase, type Source, timeIn } from './gantt.ts';

const SECOND_MS = 1_000;
const SENT_AT_ONCE = 20;
const EVENTS = 100;

export function GanttView({ task }: { task: TaskRecord }) {
  const gantt = useRefreshed(task.task_id, () => loadGantt(task, sourceIn(account.value?.network_id)), concerns).known
    .value;
  const { gantt: text } = words.value;
  const names = [...new Set(gantt?.rows.flatMap(({ task: { from_name, to_name } }) => [from_name, to_name]))];
  const link = names.length > 0 && (
    <a class="button button-small" href={sequencePath(names)}>
      {words.value.pages.sequence}
    </a>
  );
  return (
    <Panel id="gantt" title={text.title} total={undefined} actions={link}>
      {gantt === null ? <SkeletonRows /> : <Rows gantt={gantt} />}
      {gantt !== null && gantt.rows.length > 1 && <p class="text-block-empty">{text.note}</p>}
    </Panel>
  );
}

/** A change to one of the tasks, or another task that one of their agents sends. */
function concerns(event: LiveEvent, gantt: Gantt | null): boolean {
  const isOfRow = ({ task }: GanttRow) =>
    event.type === 'task' && (task.task_id === event.task_id || task.to_name === event.from_name);
  return gantt?.rows.some(isOfRow) ?? false;
}

function sourceIn(network_id: string | undefined): Source {
  return {
    sentDuring: async ({ alias, from, to = hubTime() }) => {
      const { tasks, next_cursor } = await listTasks({
        network_id,
        from_name: alias,
        created_after: stampOf(from),
        created_before: stampOf(to + SECOND_MS),
        order: 'oldest',
        outline: 'true',
        limit: SENT_AT_ONCE,
      });
      return { tasks, isCut: next_cursor !== undefined };
    },
    eventsOf: async ({ task_id }) => (await listTaskEvents({ network_id, task_id, limit: EVENTS })).events.toReversed(),
  };
}

function Rows({ gantt: { rows, isCut } }: { gantt: Gantt }) {
  const { gantt: text } = words.value;
  const moment = Math.max(now.value, hubTime()); // open bars grow with the clock
  const { from, to } = extentOf(rows, moment);
  return (
    <>
      <div class="gantt-rows">
        <p class="gantt-axis" aria-hidden="true">
          {[from, (from + to) / 2, to].map((at) => (
            <span key={at}>{timeOfDay(at, language.value)}</span>
          ))}
        </p>
        <ol>
          {rows.map((row) => (
            <Row key={row.task.task_id} row={row} from={from} to={to} moment={moment} />
          ))}
        </ol>
      </div>
      {isCut && <p class="text-block-empty">{text.cut}</p>}
      {rows.length === 1 && !isCut && <p class="text-block-empty">{text.alone}</p>}
    </>
  );
}

type RowProps = { row: GanttRow; from: number; to: number; moment: number };

function Row({ row, from, to, moment }: RowProps) {
  const { task, depth, phases } = row;
  const timeOf = (status: TaskStatus) => preciseDuration(timeIn(status, row, moment), language.value);
  const hasRun = phases.some(({ status }) => status === 'running');
  const place = (time: number) => `${(time / (to - from)) * 100}%`;
  return (
    <li class="row gantt-row" style={{ '--depth': depth }}>
      <span class="gantt-task">
        <a class="row-link" href={taskPath(task.task_id)} dir="auto">
          {headline(task.content)}
        </a>
        <span class="gantt-about">
          <TaskState status={task.status} />
          <bdi>{task.to_name}</bdi>
          <span>{words.value.gantt.times(timeOf('delivered'), hasRun ? timeOf('running') : undefined)}</span>
        </span>
      </span>
      <span class="gantt-track" aria-hidden="true">
        {phases.map((phase) => (
          <span
            key={phase.from}
            class="gantt-bar"
            data-status={phase.status}
            title={titleOf(phase)}
            style={{ left: place(phase.from - from), width: place((phase.to ?? moment) - phase.from) }}
          />
        ))}
      </span>
    </li>
  );
}

function titleOf({ status, attempt, from }: Phase): string {
  const { task, taskStatus } = words.value;
  return `${task.attemptNumber(attempt)} · ${taskStatus[status]} · ${preciseTime(from, language.value)}`;
}
