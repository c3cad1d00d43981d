// A task and what it led to, as bars over time. The hub does not record which task caused another: these are the tasks
// that an agent sent while it was running the one above.
import type { TaskStatus } from '../../server/domain/task-status.ts';
import type { ListedTask, TaskEventRecord } from '../live/api.ts';

/** Part of an attempt. It lasts until now while `to` is undefined. */
export type Phase = { name: 'delivered' | 'running'; attempt: number; from: number; to: number | undefined };

export type GanttRow = {
  task: ListedTask;
  /** 0 for the task itself. */
  depth: number;
  phases: readonly Phase[];
  /** When and how its attempts ended. */
  endings: readonly { at: number; status: TaskStatus }[];
};

/** Events of one task, oldest first. */
type Events = readonly TaskEventRecord[];

export function rowOf(task: ListedTask, depth: number, events: Events): GanttRow {
  const first = task.attempt - events.filter(({ to_status }) => to_status === 'delivered').length;
  const phases: Phase[] = [];
  const endings: { at: number; status: TaskStatus }[] = [];
  let attempt = first;
  events.forEach(({ to_status, created_at_ms: at }, index) => {
    if (to_status === 'delivered') attempt += 1;
    if (to_status !== 'delivered' && to_status !== 'running') return void endings.push({ at, status: to_status });
    phases.push({ name: to_status, attempt: Math.max(1, attempt), from: at, to: events[index + 1]?.created_at_ms });
  });
  return { task, depth, phases, endings };
}

/** When an agent was running the task; to the end while `to` is undefined. */
export type Run = { alias: string; from: number; to: number | undefined };

export function runsOf(events: Events): Run[] {
  return events.flatMap(({ to_status, actor, created_at_ms: from }, index) =>
    to_status === 'running' ? [{ alias: actor, from, to: events[index + 1]?.created_at_ms }] : [],
  );
}

/** What the tree is loaded with. */
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

/** The part of time that the bars need. */
export function extentOf(rows: readonly GanttRow[], now: number): { from: number; to: number } {
  const starts = rows.flatMap(({ phases }) => phases.map(({ from }) => from));
  const ends = rows.flatMap(({ phases, endings }) => [
    ...phases.map(({ to }) => to ?? now),
    ...endings.map(({ at }) => at),
  ]);
  const from = Math.min(...starts, now);
  return { from, to: Math.max(from + 1, ...ends) };
}

/** How long it waited and ran, over all attempts. */
export function timesOf({ phases }: GanttRow, now: number): { waited: number; ran: number } {
  const sum = (name: Phase['name']) =>
    phases.filter((phase) => phase.name === name).reduce((total, { from, to }) => total + (to ?? now) - from, 0);
  return { waited: sum('delivered'), ran: sum('running') };
}
