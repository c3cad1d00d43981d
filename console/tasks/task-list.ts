// A live list of tasks under one filter, newest first. While the user points into it or has scrolled down, it is
// frozen: rows keep their position, update in place, and new tasks wait.
import { batch, type Signal, signal } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { listTasks, type TaskPage } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { whileHoldingEvents } from '../live/live-events.ts';
import { setCounts } from '../live/store.ts';
import { isPoolComplete, knownTasks, rememberTasks } from '../live/task-pool.ts';
import { isFiltered, matcherOf, queryOf, type TaskFilter } from './task-filter.ts';

export type TaskList = {
  readonly filter: TaskFilter;
  /** Null until data is available, which is different from an empty list. */
  readonly rows: Signal<readonly TaskRecord[] | null>;
  /** The cursor of the next page; undefined when all are loaded. */
  readonly next: Signal<string | undefined>;
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
  apply(task: TaskRecord, before?: TaskRecord): void;
};

export function taskList(filter: TaskFilter, size: number): TaskList {
  const rows = signal<readonly TaskRecord[] | null>(null);
  const next = signal<string | undefined>(undefined);
  const total = signal<number | undefined>(undefined);
  const waiting = signal(0);
  const failed = signal(false);
  const arrived = new Map<string, TaskRecord>();
  let isFrozen = false;
  let isLoaded = false;
  let asked = 0;

  /** Shows cached tasks, then loads the list from the hub. A response that a newer request overtook is dropped. */
  async function load(): Promise<void> {
    showKnown();
    await ask(undefined, (page) => {
      arrived.clear();
      waiting.value = 0;
      rows.value = page.tasks;
      isLoaded = true;
    });
  }

  /** An empty cache means an empty list only when the cache is complete. */
  function showKnown(): void {
    if (rows.value !== null) return;
    const known = knownTasks(matcherOf(filter, hubTime()), size);
    if (known.length > 0 || isPoolComplete()) rows.value = known;
  }

  async function loadMore(): Promise<void> {
    if (next.value === undefined) return;
    await ask(next.value, (page) => {
      const here = new Set(rows.value?.map((task) => task.task_id));
      rows.value = [...(rows.value ?? []), ...page.tasks.filter((task) => !here.has(task.task_id))];
    });
  }

  async function ask(cursor: string | undefined, take: (page: TaskPage) => void): Promise<void> {
    const [question, askedAt] = [++asked, performance.now()];
    try {
      const query = {
        ...queryOf(filter, hubTime()),
        network_id: account.value?.network_id,
        limit: size,
        cursor,
        ...(isFiltered(filter) && cursor === undefined && { with_total: 'true' as const }),
      };
      const page = await whileHoldingEvents(listTasks(query));
      if (question !== asked) return;
      batch(() => {
        take(page);
        next.value = page.next_cursor;
        failed.value = false;
        if (page.total !== undefined) total.value = page.total;
        if (page.stats !== undefined) setCounts(page.stats, askedAt);
      });
      rememberTasks(page.tasks);
    } catch {
      if (question === asked) failed.value = true;
    }
  }

  function apply(task: TaskRecord, before?: TaskRecord): void {
    const list = rows.value;
    if (list === null) return;
    const at = list.findIndex((each) => each.task_id === task.task_id);
    const matches = matcherOf(filter, hubTime());
    const belongs = matches(task);
    recount(belongs, before === undefined ? !isNew(task) && belongs : matches(before));
    if (at >= 0 && (belongs || isFrozen)) rows.value = list.with(at, task);
    else if (at >= 0) rows.value = list.toSpliced(at, 1);
    else if (belongs && isFrozen) arrived.set(task.task_id, task);
    else if (belongs) rows.value = withTask(list, task, next.value !== undefined);
    if (!belongs) arrived.delete(task.task_id);
    waiting.value = arrived.size;
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
    const belongs = matcherOf(filter, hubTime());
    const kept = rows.value?.filter(belongs) ?? [];
    if (arrived.size === 0 && kept.length === rows.value?.length) return;
    batch(() => {
      rows.value = [...arrived.values()].reduce<readonly TaskRecord[]>(
        (list, task) => withTask(list, task, next.value !== undefined),
        kept,
      );
      arrived.clear();
      waiting.value = 0;
    });
  }

  return {
    filter,
    rows,
    next,
    total,
    waiting,
    failed,
    showKnown,
    isFresh: () => isLoaded && filter.age === undefined,
    load,
    loadMore,
    freeze,
    showWaiting,
    apply,
  };
}

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
