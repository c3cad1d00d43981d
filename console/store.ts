// What the console knows of the watched network: its agents, the tasks in view, the counts, and how fresh all that is.
// Records are replaced, never changed, so that a signal moves exactly when what it shows does.
import { computed, signal } from '@preact/signals';
import type { NetworkRecord } from '../server/domain/network.ts';
import type { TaskRecord, TaskStatus } from '../server/domain/task.ts';
import { account } from './account.ts';
import type { Agent, StatusCount, TaskPage } from './api.ts';
import type { LiveState } from './live.ts';

export type TaskCounts = Partial<Record<TaskStatus, number>>;

/** Null until the first answer, which is not the same as none. */
export const agents = signal<readonly Agent[] | null>(null);
/** The newest tasks of the shown status, null while they are not known. */
export const tasks = signal<readonly TaskRecord[] | null>(null);
export const shownStatus = signal<TaskStatus | undefined>(undefined);
export const taskCounts = signal<TaskCounts | null>(null);
/** Where the page of older tasks begins; undefined when all are here. */
export const olderTasks = signal<string | undefined>(undefined);
export const networks = signal<readonly NetworkRecord[]>([]);
export const liveState = signal<LiveState>({ state: 'connecting' });
/** The hub's time when it last spoke. */
export const freshAt = signal<number | null>(null);
export const loadFailed = signal(false);

export const network = computed(() => networks.value.find((each) => each.network_id === account.value?.network_id));
export const mayWrite = computed(() => network.value?.member_role !== 'viewer');
export const isStale = computed(() => freshAt.value !== null && liveState.value.state !== 'live' && liveState.value.state !== 'connecting');
export const taskTotal = computed(() => total(Object.values(taskCounts.value ?? {})));

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

export function clearStore(): void {
  agents.value = null;
  tasks.value = null;
  taskCounts.value = null;
  olderTasks.value = undefined;
  freshAt.value = null;
  loadFailed.value = false;
  liveState.value = { state: 'connecting' };
}

export function setAgents(list: readonly Agent[]): void {
  agents.value = list.toSorted(byAlias);
}

/** One session per alias and per resume_id: the new record takes the place of any that shares either. */
export function applyAgent(agent: Agent): void {
  if (agents.value === null) return;
  const others = agents.value.filter((each) => each.alias !== agent.alias && each.resume_id !== agent.resume_id);
  setAgents([...others, agent]);
}

export function applyInboxCount(alias: string, inbox_count: number): void {
  const known = agents.value?.find((each) => each.alias === alias);
  if (known !== undefined) applyAgent({ ...known, inbox_count });
}

const alphabetical = new Intl.Collator(undefined, { numeric: true });

function byAlias(one: Agent, other: Agent): number {
  return alphabetical.compare(one.alias, other.alias);
}

export function setTasks(page: TaskPage): void {
  tasks.value = page.tasks;
  olderTasks.value = page.next_cursor;
  if (page.stats !== undefined) setCounts(page.stats);
}

export function addOlderTasks(page: TaskPage): void {
  const known = new Set(tasks.value?.map((task) => task.task_id));
  tasks.value = [...(tasks.value ?? []), ...page.tasks.filter((task) => !known.has(task.task_id))];
  olderTasks.value = page.next_cursor;
}

export function setCounts(stats: readonly StatusCount[]): void {
  taskCounts.value = Object.fromEntries(stats.map(({ status, count }) => [status, count]));
}

/** Returns whether the counts still add up; a task not in view may have come from any status. */
export function applyTask(task: TaskRecord): boolean {
  const list = tasks.value;
  if (list === null) return false;
  const known = list.find((each) => each.task_id === task.task_id);
  if (isShown(task)) tasks.value = withTask(list, task);
  else if (known !== undefined) tasks.value = list.filter((each) => each !== known);
  if (known !== undefined) moveCount(known.status, task.status);
  return known !== undefined;
}

function isShown(task: TaskRecord): boolean {
  return shownStatus.value === undefined || shownStatus.value === task.status;
}

/** In place when it is known; else before the first that is no newer, unless it belongs to a page not yet loaded. */
function withTask(list: readonly TaskRecord[], task: TaskRecord): readonly TaskRecord[] {
  const at = list.findIndex((each) => each.task_id === task.task_id);
  if (at >= 0) return list.with(at, task);
  const before = list.findIndex((each) => each.created_at <= task.created_at);
  if (before >= 0) return list.toSpliced(before, 0, task);
  return olderTasks.value === undefined ? [...list, task] : list;
}

function moveCount(from: TaskStatus, to: TaskStatus): void {
  if (from === to || taskCounts.value === null) return;
  const counts = taskCounts.value;
  taskCounts.value = { ...counts, [from]: Math.max(0, (counts[from] ?? 0) - 1), [to]: (counts[to] ?? 0) + 1 };
}
