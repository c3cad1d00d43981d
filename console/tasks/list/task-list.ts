// A live list of tasks under one filter, newest first. While the user points into it or has scrolled down, it is
// frozen: rows keep their position, update in place, and new tasks wait. It keeps as many rows as were loaded: new ones
// replace the oldest, which are loaded again on request.
import { batch, type Signal, signal } from '@preact/signals';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { account } from '../../account/account.ts';
import { type ListedTask, listTasks, type TaskPage } from '../../live/api.ts';
import { hubTime } from '../../live/clock.ts';
import { whileHoldingEvents } from '../../live/live-events.ts';
import { setCounts } from '../../live/store.ts';
import { isPoolComplete, knownTasks, rememberTasks } from '../../live/task-pool.ts';
import { atMostEvery } from '../../live/throttle.ts';
import { isFiltered, matcherOf, queryOf, stampAfter, type TaskFilter } from '../task-filter.ts';
import { heldTasks } from './held-tasks.ts';

const REFILL_MS = 1_000;

export type TaskList = {
  readonly filter: TaskFilter;
  /** Null until data is available, which is different from an empty list. */
  readonly rows: Signal<readonly TaskRecord[] | null>;
  /** Whether the hub has older tasks than the rows. */
  readonly hasMore: Signal<boolean>;
  /** The number of matching tasks, when the hub has counted them. */
  readonly total: Signal<number | undefined>;
  /** The number of new tasks that wait to be shown. */
  readonly waiting: Signal<number>;
  readonly failed: Signal<boolean>;
  /** Cached tasks, shown until the hub responds. */
  showKnown(): void;
  /** After this, live events keep the list correct. Only age filters must be reloaded. */
  isFresh(): boolean;
  load(): Promise<void>;
  loadMore(): Promise<void>;
  freeze(frozen: boolean): void;
  showWaiting(): void;
  /** `before` is the previous record. */
  apply(task: TaskRecord, before?: ListedTask): void;
};

export function taskList(filter: TaskFilter, size: number): TaskList {
  const rows = signal<readonly TaskRecord[] | null>(null);
  const hasMore = signal(false);
  const total = signal<number | undefined>(undefined);
  const held = heldTasks();
  const failed = signal(false);
  /** The number of rows to keep. */
  let capacity = size;
  /** Where the next page starts; undefined when it starts after the last row. */
  let cursor: string | undefined;
  let isFrozen = false;
  let isLoaded = false;
  let asked = 0;
  const refill = atMostEvery(REFILL_MS, () => void (isFrozen || load()));

  /**
   * Shows cached tasks, then loads the list from the hub. A response that a newer request overtook is dropped. While
   * the list is frozen, its rows keep their places unless it may move.
   */
  async function load(mayMove = false): Promise<void> {
    showKnown();
    await ask({}, ({ tasks }) => {
      held.clear();
      if (isFrozen && !mayMove && rows.value !== null && rows.value.length > 0) holdPage(tasks, rows.value);
      else {
        rows.value = tasks;
        capacity = size;
      }
      isLoaded = true;
    });
  }

  /** The rows keep their places. What the hub has above or between them waits. */
  function holdPage(tasks: readonly TaskRecord[], shown: readonly TaskRecord[]): void {
    const ids = new Set(shown.map(({ task_id }) => task_id));
    const isShown = ({ task_id }: TaskRecord) => ids.has(task_id);
    const first = tasks.findIndex(isShown);
    const fresh = new Map(tasks.map((task) => [task.task_id, task]));
    if (!isLoaded && first >= 0) {
      const known = tasks.slice(first);
      const isWhole = known.length === shown.length && known.every(isShown);
      // The cache knew the rows only in part, or tasks of the same millisecond in another order.
      rows.value = isWhole ? shown.map((task) => fresh.get(task.task_id) ?? task) : known;
      return holdAll(tasks.slice(0, first));
    }
    const end = first < 0 ? tasks.length : tasks.findLastIndex(isShown) + 1;
    rows.value = shown.map((task) => fresh.get(task.task_id) ?? task);
    // The hub may have others between the page and the rows.
    if (first < 0 && hasMore.value) held.countUnseen();
    holdAll(tasks.slice(0, end).filter((task) => !isShown(task)));
    cursor = undefined;
    hasMore.value ||= first < 0 || end < tasks.length;
  }

  function holdAll(newestFirst: readonly TaskRecord[]): void {
    for (const task of newestFirst.toReversed()) hold(task, false);
  }

  /** An empty cache means an empty list only when the cache is complete, with whole texts if these are searched. */
  function showKnown(): void {
    if (rows.value !== null) return;
    const known = knownTasks(matcherOf(filter, hubTime()), size);
    if (known.length > 0 || (isPoolComplete() && filter.text === undefined)) rows.value = known;
  }

  async function loadMore(): Promise<void> {
    const known = rows.value ?? [];
    const last = known.at(-1);
    if (!hasMore.value || last === undefined) return;
    const ids = new Set(known.map((task) => task.task_id));
    let isProgress = true;
    await ask(cursor === undefined ? { created_before: stampAfter(last.created_at) } : { cursor }, ({ tasks }) => {
      const older = tasks.filter((task) => !ids.has(task.task_id));
      rows.value = [...(rows.value ?? []), ...older];
      capacity = Math.max(size, rows.value.length);
      isProgress = older.length > 0;
    });
    // More tasks than a page were sent in the second of the last row.
    if (!isProgress) await loadMore();
  }

  async function ask(position: Position, take: (page: TaskPage) => void): Promise<void> {
    const [question, askedAt] = [++asked, performance.now()];
    const isFirst = Object.keys(position).length === 0;
    try {
      const query = {
        ...queryOf(filter, hubTime()),
        network_id: account.value?.network_id,
        limit: size,
        ...position,
        // A match may be anywhere in the text.
        ...(filter.text === undefined && { outline: 'true' as const }),
        ...(isFiltered(filter) && isFirst && { with_total: 'true' as const }),
      };
      const page = await whileHoldingEvents(listTasks(query));
      if (question !== asked) return;
      batch(() => {
        cursor = page.next_cursor;
        hasMore.value = cursor !== undefined;
        take(page);
        failed.value = false;
        if (page.total !== undefined) total.value = page.total;
        if (page.stats !== undefined) setCounts(page.stats, askedAt);
      });
      rememberTasks(page.tasks);
    } catch {
      if (question === asked) failed.value = true;
    }
  }

  function apply(task: TaskRecord, before?: ListedTask): void {
    const list = rows.value;
    if (list === null) return;
    const at = list.findIndex((each) => each.task_id === task.task_id);
    const matches = matcherOf(filter, hubTime());
    const belongs = matches(task);
    const isUnsure = before === undefined || (before.is_outline === true && filter.text !== undefined);
    const belonged = isUnsure ? !isNew(task) && belongs : matches(before);
    recount(belongs, belonged);
    if (at >= 0 && (belongs || isFrozen)) rows.value = list.with(at, task);
    else if (at >= 0) remove(list, at);
    else if (belongs && isFrozen) hold(task, !isUnsure && belonged);
    else if (belongs) rows.value = kept(withTask(list, task, hasMore.value));
    if (!belongs && !held.release(task) && at < 0 && belonged) held.discountForgotten();
  }

  function remove(list: readonly TaskRecord[], at: number): void {
    rows.value = list.toSpliced(at, 1);
    if (hasMore.value && rows.value.length < size / 2) refill.soon();
  }

  /** A task that matched before may be on a page not loaded yet, or forgotten. */
  function hold(task: TaskRecord, belonged: boolean): void {
    if (belonged && !held.has(task) && (held.areAnyForgotten() || isBeyond(task))) return;
    held.hold(task, capacity);
  }

  function isBeyond({ created_at }: TaskRecord): boolean {
    const last = rows.value?.at(-1);
    return hasMore.value && last !== undefined && created_at <= last.created_at;
  }

  function kept(list: readonly TaskRecord[]): readonly TaskRecord[] {
    if (list.length <= capacity) return list;
    cursor = undefined;
    hasMore.value = true;
    return list.slice(0, capacity);
  }

  function recount(belongs: boolean, belonged: boolean): void {
    if (total.value !== undefined && belongs !== belonged) total.value = Math.max(0, total.value + (belongs ? 1 : -1));
  }

  function freeze(frozen: boolean): void {
    if (isFrozen === frozen) return;
    isFrozen = frozen;
    if (!frozen) showWaiting();
  }

  function showWaiting(): void {
    if (held.areAnyForgotten()) return void load(true);
    const belongs = matcherOf(filter, hubTime());
    const left = rows.value?.filter(belongs) ?? [];
    const arrived = held.list();
    if (arrived.length === 0 && left.length === rows.value?.length) return;
    batch(() => {
      rows.value = kept(
        arrived.reduce<readonly TaskRecord[]>((list, task) => withTask(list, task, hasMore.value), left),
      );
      held.clear();
    });
  }

  return {
    filter,
    rows,
    hasMore,
    total,
    waiting: held.count,
    failed,
    showKnown,
    isFresh: () => isLoaded && filter.age === undefined,
    load: () => load(),
    loadMore,
    freeze,
    showWaiting,
    apply,
  };
}

type Position = { cursor?: string; created_before?: string | undefined };

/** A task that was not cached and has no transitions yet. */
function isNew({ status, attempt }: TaskRecord): boolean {
  return status === 'delivered' && attempt === 1;
}

/** Inserts before the first task that is not newer, unless that position is on a page not loaded yet. */
function withTask(list: readonly TaskRecord[], task: TaskRecord, hasMore: boolean): readonly TaskRecord[] {
  const before = list.findIndex((each) => each.created_at <= task.created_at);
  if (before >= 0) return list.toSpliced(before, 0, task);
  return hasMore ? list : [...list, task];
}
