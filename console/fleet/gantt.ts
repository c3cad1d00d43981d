// A task and what it led to, as bars over time. The hub does not record which task caused another: these are the tasks
// that an agent sent while it was running the one above.
import { isLive, type TaskStatus } from '../../server/domain/task-status.ts';
import type { ListedTask, TaskEventRecord } from '../live/api.ts';

/** Part of an attempt, or its end, which takes no time. It lasts until now while `to` is undefined. */
export type Phase = { status: TaskStatus; attempt: number; from: number; to: number | undefined };

export type GanttRow = {
  task: ListedTask;
  /** 0 for the task itself. */
  depth: number;
  phases: readonly Phase[];
};

/** Events of one task, oldest first. */
type Events = readonly TaskEventRecord[];

export function rowOf(task: ListedTask, depth: number, events: Events): GanttRow {
  let attempt = task.attempt - events.filter(({ to_status }) => to_status === 'delivered').length;
  const phases = events.map(({ to_status: status, created_at_ms: from }, index): Phase => {
    if (status === 'delivered') attempt += 1;
    return {
      status,
      attempt: Math.max(1, attempt),
      from,
      to: isLive({ status }) ? events[index + 1]?.created_at_ms : from,
    };
  });
  return { task, depth, phases };
}

/** When an agent was running the task; it still runs if `to` is undefined. */
export type Run = { alias: string; from: number; to: number | undefined };

export function runsOf(events: Events): Run[] {
  return events.flatMap(({ to_status, actor, created_at_ms: from }, index) =>
    to_status === 'running' ? [{ alias: actor, from, to: events[index + 1]?.created_at_ms }] : [],
  );
}

/** Loads what the tree consists of. */
export type Source = {
  /** The tasks that the agent sent during the run, or in the same seconds. */
  sentDuring(run: Run): Promise<{ tasks: readonly ListedTask[]; isCut: boolean }>;
  eventsOf(task: ListedTask): Promise<Events>;
};

export type Gantt = { rows: readonly GanttRow[]; isCut: boolean };

export const MAX_ROWS = 40;
const MAX_DEPTH = 4;

/** Loads the task, what it led to, and what that led to; each task once, below the first that led to it. */
export async function loadGantt(root: ListedTask, source: Source): Promise<Gantt> {
  const seen = new Set([root.task_id]);
  const gantt = { rows: [] as GanttRow[], isCut: false };
  await addRow(gantt, { task: root, depth: 0, events: await source.eventsOf(root) }, seen, source);
  return gantt;
}

type Found = { task: ListedTask; depth: number; events: Events };

async function addRow(
  gantt: { rows: GanttRow[]; isCut: boolean },
  { task, depth, events }: Found,
  seen: Set<string>,
  source: Source,
): Promise<void> {
  gantt.rows.push(rowOf(task, depth, events));
  for (const run of runsOf(events)) {
    const sent = await source.sentDuring(run);
    gantt.isCut ||= sent.isCut;
    for (const found of await newIn(sent.tasks, run, seen, source)) {
      if (depth === MAX_DEPTH || gantt.rows.length === MAX_ROWS) gantt.isCut = true;
      else await addRow(gantt, { ...found, depth: depth + 1 }, seen, source);
    }
  }
}

/** Tasks are listed with a resolution of one second; their events have milliseconds. */
async function newIn(tasks: readonly ListedTask[], run: Run, seen: Set<string>, source: Source) {
  const fresh = tasks.filter(({ task_id }) => !seen.has(task_id));
  const found = await Promise.all(fresh.map(async (task) => ({ task, events: await source.eventsOf(task) })));
  const within = found.filter(({ events: [sent] }) => sent !== undefined && isWithin(run, sent.created_at_ms));
  for (const { task } of within) seen.add(task.task_id);
  return within;
}

function isWithin({ from, to }: Run, moment: number): boolean {
  return moment >= from && (to === undefined || moment <= to);
}

/** The time range that the bars cover. */
export function extentOf(rows: readonly GanttRow[], now: number): { from: number; to: number } {
  const moments = rows.flatMap(({ phases }) => phases.flatMap(({ from, to = now }) => [from, to]));
  const from = Math.min(now, ...moments);
  return { from, to: Math.max(from + 1, ...moments) };
}

/** How long it was in this status, over all attempts. */
export function timeIn(status: TaskStatus, { phases }: GanttRow, now: number): number {
  const own = phases.filter((phase) => phase.status === status);
  return own.reduce((total, { from, to = now }) => total + to - from, 0);
}
