// The rows of the list. While it is frozen, rows keep their places: new ones wait, and settled ones stay without their
// actions.
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { itemKeys, type Need, type TaskNeed } from './need.ts';

/** `key` is the one of the need with which the row appeared. */
export type Row = { key: string; need: Need; isSettled: boolean };

/** `all` is null while nothing has loaded, as after a switch of the network. */
export function useHeldRows(all: readonly Need[] | null, isFrozen: boolean) {
  const renders = useSignal(0);
  const isReleased = useRef(false);
  const held = useRef<readonly Row[]>([]);
  void renders.value;
  held.current = nextRows(held.current, all, isFrozen && !isReleased.current);
  isReleased.current = false;
  const show = () => {
    isReleased.current = true;
    renders.value += 1;
  };
  return { rows: held.current, waiting: waitingIn(held.current, all ?? []), show };
}

/** An empty list has nothing to keep in place. */
export function nextRows(held: readonly Row[], all: readonly Need[] | null, isHeld: boolean): Row[] {
  if (all === null) return [];
  if (!isHeld || held.length === 0) return all.map((need) => ({ key: need.key, need, isSettled: false }));
  return held.map((row) => {
    const need = currentOf(row.need, all);
    return need === undefined
      ? { ...row, isSettled: true }
      : { ...row, need: withTask(need, row.need), isSettled: false };
  });
}

/** A row never becomes another question. Needs that nobody has to act on do not wait. */
export function waitingIn(rows: readonly Row[], all: readonly Need[]): number {
  const shown = new Set(rows.map(({ need, isSettled }) => (isSettled ? undefined : need)));
  return all.filter((need) => !shown.has(need) && itemKeys(need).length > 0).length;
}

/** An agent may lose its task before it reports anything else; the row is still about it. */
function withTask(need: Need, before: Need): Need {
  const isLost = 'agent' in need && 'agent' in before && need.task === undefined && before.task !== undefined;
  return isLost ? { ...need, task: before.task } : need;
}

/** The same need now. An agent that waits may send its question later; what it has said since is another question. */
function currentOf(need: Need, all: readonly Need[]): Need | undefined {
  const now = all.find(({ key }) => key === need.key);
  if ('tasks' in need) return sameTasks(now ?? groupOf(need, all), need.tasks);
  if (!('agent' in need)) return now;
  if (now === undefined)
    return need.isAnswered ? undefined : all.find((each) => each.kind === 'mail' && each.asker?.key === need.key);
  return need.isAnswered && 'agent' in now && now.answeredAt === undefined ? undefined : now;
}

/** The task of a row may be in a group with others by now. */
function groupOf(need: TaskNeed, all: readonly Need[]): Need | undefined {
  const [key = ''] = itemKeys(need);
  return all.find((each) => 'tasks' in each && itemKeys(each).includes(key));
}

/** Without tasks that have joined the others since: nobody has seen them in this row, so they wait. */
function sameTasks(now: Need | undefined, before: TaskNeed['tasks']): TaskNeed | undefined {
  if (now === undefined || !('tasks' in now)) return undefined;
  const ids = new Set(before.map(({ task_id }) => task_id));
  const tasks = now.tasks.filter(({ task_id }) => ids.has(task_id));
  const task = tasks.at(-1);
  if (task === undefined || tasks.length === now.tasks.length) return task && now;
  return { ...now, task, tasks, messages: now.messages.filter(({ in_reply_to = '' }) => ids.has(in_reply_to)) };
}
