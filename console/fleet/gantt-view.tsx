// A task and what it led to, on the page of the task: a row for each task, a bar for each part of its attempts.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { language, words } from '../i18n/language.ts';
import { listTaskEvents, listTasks } from '../live/api.ts';
import { hubTime, now } from '../live/clock.ts';
import { onLiveEvent } from '../live/live-events.ts';
import { atMostEvery } from '../live/throttle.ts';
import { headline, preciseDuration, preciseTime, stampOf, timeOfDay } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskState } from '../parts/status.tsx';
import { sequencePath, taskPath } from '../routes.ts';
import { extentOf, type Gantt, type GanttRow, loadGantt, type Phase, type Source, timesOf } from './gantt.ts';

const SECOND_MS = 1_000;
const SENT_AT_ONCE = 20;
const EVENTS = 100;
const REFRESH_MS = 2_000;

export function GanttView({ task }: { task: TaskRecord }) {
  const gantt = useGantt(task);
  const { gantt: text } = words.value;
  const names = [...new Set(gantt?.rows.flatMap(({ task: { from_name, to_name } }) => [from_name, to_name]))];
  return (
    <section class="text-block gantt" aria-label={text.title}>
      <header class="text-block-head">
        <h2>{text.title}</h2>
        {names.length > 0 && (
          <a class="button button-quiet" href={sequencePath(names)}>
            {words.value.pages.sequence}
          </a>
        )}
      </header>
      {gantt === null ? <SkeletonRows /> : <Rows gantt={gantt} />}
      <p class="gantt-note">{text.note}</p>
    </section>
  );
}

function useGantt(task: TaskRecord): Gantt | null {
  const gantt = useSignal<Gantt | null>(null);
  useEffect(() => {
    let isOver = false;
    const load = async () => {
      const loaded = await loadGantt(task, sourceIn(account.value?.network_id)).catch(() => undefined);
      if (!isOver && loaded !== undefined) gantt.value = loaded;
    };
    const loading = atMostEvery(REFRESH_MS, () => void load());
    void load();
    const end = onLiveEvent((event) => {
      if (event.type === 'task' && concerns(gantt.value?.rows ?? [], event)) loading.soon();
    });
    return () => {
      isOver = true;
      loading.stop();
      end();
    };
  }, [task.task_id]);
  return gantt.value;
}

/** One of the tasks, or another that one of their agents sends. */
function concerns(rows: readonly GanttRow[], { task_id, from_name }: TaskRecord): boolean {
  return rows.some(({ task }) => task.task_id === task_id || task.to_name === from_name);
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
  const moment = hubMoment();
  const { from, to } = extentOf(rows, moment);
  const ticks = [from, (from + to) / 2, to];
  return (
    <>
      <div class="gantt-rows">
        <p class="gantt-axis" aria-hidden="true">
          {ticks.map((at) => (
            <time key={at} dateTime={new Date(at).toISOString()} title={preciseTime(at, language.value)}>
              {timeOfDay(at, language.value)}
            </time>
          ))}
        </p>
        <ol>
          {rows.map((row) => (
            <Row key={row.task.task_id} row={row} from={from} to={to} moment={moment} />
          ))}
        </ol>
      </div>
      {isCut && <p class="gantt-note">{text.cut}</p>}
      {rows.length === 1 && !isCut && <p class="gantt-note">{text.alone}</p>}
    </>
  );
}

/** Open bars grow with the clock. */
function hubMoment(): number {
  return Math.max(now.value, hubTime());
}

type RowProps = { row: GanttRow; from: number; to: number; moment: number };

function Row({ row, from, to, moment }: RowProps) {
  const { gantt: text } = words.value;
  const { task, depth, phases, endings } = row;
  const { waited, ran } = timesOf(row, moment);
  const placeOf = (at: number) => ((at - from) / (to - from)) * 100;
  return (
    <li class="row gantt-row" style={{ '--depth': depth }}>
      <span class="gantt-task">
        <a class="row-link" href={taskPath(task.task_id)} dir="auto">
          {headline(task.content)}
        </a>
        <span class="gantt-about">
          <TaskState status={task.status} />
          <bdi>{task.to_name}</bdi>
          <span>{text.times(preciseDuration(waited, language.value), preciseDuration(ran, language.value))}</span>
        </span>
      </span>
      <span class="gantt-track" aria-hidden="true">
        {phases.map((phase) => (
          <span
            key={phase.from}
            class="gantt-bar"
            data-status={phase.name}
            title={titleOf(phase, moment)}
            style={{
              'inset-inline-start': `${placeOf(phase.from)}%`,
              width: `${placeOf(phase.to ?? moment) - placeOf(phase.from)}%`,
            }}
          />
        ))}
        {endings.map(({ at, status }) => (
          <span
            key={at}
            class="gantt-end"
            data-status={status}
            title={`${words.value.taskStatus[status]} ${preciseTime(at, language.value)}`}
            style={{ 'inset-inline-start': `${placeOf(at)}%` }}
          />
        ))}
      </span>
    </li>
  );
}

function titleOf({ name, attempt, from, to }: Phase, moment: number): string {
  const { task, taskStatus } = words.value;
  const length = preciseDuration((to ?? moment) - from, language.value);
  return `${task.attemptNumber(attempt)} · ${taskStatus[name]} ${length}`;
}
