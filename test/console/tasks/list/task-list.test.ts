import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { beginSession } from '../../../../console/account/account.ts';
import { forgetTasks, markPoolComplete, rememberTasks } from '../../../../console/live/task-pool.ts';
import { type TaskList, taskList } from '../../../../console/tasks/list/task-list.ts';
import { matcherOf, queryOf, taskFilterOf } from '../../../../console/tasks/task-filter.ts';
import type { TaskRecord } from '../../../../server/domain/task.ts';
import type { TaskStatus } from '../../../../server/domain/task-status.ts';

type Waiting = { url: URL; respond(body: object): void };
let waiting: Waiting[];

beforeEach(() => {
  waiting = [];
  forgetTasks();
  vi.stubGlobal(
    'fetch',
    (path: string) =>
      new Promise((resolve) => {
        waiting.push({
          url: new URL(path, 'http://hub'),
          respond: (body) => resolve(new Response(JSON.stringify(body))),
        });
      }),
  );
  beginSession(
    {
      token: 'utok_x',
      user: { user_id: 'u', username: 'ada', display_name: 'Ada', role: 'user' },
      network_id: 'net_1',
    },
    false,
  );
});

afterEach(() => vi.unstubAllGlobals());

describe('a list of tasks', () => {
  test('shows cached tasks first, then the list from the hub', async () => {
    rememberTasks([task('known', 'failed', '01'), task('other', 'replied', '02')]);
    const list = taskList({ status: 'failed' }, 10);
    const loaded = list.load();
    expect(ids(list)).toEqual(['known']);
    waiting[0]?.respond({ tasks: [task('t3', 'failed', '03'), task('known', 'failed', '01')] });
    await loaded;
    expect(ids(list)).toEqual(['t3', 'known']);
    expect(waiting[0]?.url.search).toBe('?status=failed&network_id=net_1&limit=10&outline=true&with_total=true');
  });

  test('adds new tasks first, updates known ones in place and removes those that no longer match', async () => {
    const list = await listOf({ status: 'running' }, [task('t2', 'running', '02'), task('t1', 'running', '01')]);
    list.apply(task('t3', 'running', '03'));
    list.apply(task('t9', 'failed', '09'));
    list.apply({ ...task('t1', 'running', '01'), attempt: 2 });
    expect(ids(list)).toEqual(['t3', 't2', 't1']);
    list.apply(task('t2', 'replied', '02'));
    expect(ids(list)).toEqual(['t3', 't1']);
  });

  test('that is frozen keeps its rows, counts new tasks and shows them when released', async () => {
    const list = await listOf({ status: 'running' }, [task('t2', 'running', '02'), task('t1', 'running', '01')]);
    list.freeze(true);
    list.apply(task('t3', 'running', '03'));
    list.apply(task('t2', 'replied', '02'));
    expect(ids(list)).toEqual(['t2', 't1']);
    expect(list.rows.value?.[0]?.status).toBe('replied');
    expect(list.waiting.value).toBe(1);
    list.freeze(false);
    expect(ids(list)).toEqual(['t3', 't1']);
    expect(list.waiting.value).toBe(0);
  });

  test('that is frozen drops a new task that stops matching before it is shown', async () => {
    const list = await listOf({ status: 'running' }, []);
    list.freeze(true);
    list.apply(task('t3', 'running', '03'));
    list.apply(task('t3', 'replied', '03'));
    expect(list.waiting.value).toBe(0);
  });

  test('keeps as many rows as were loaded, and loads the oldest again on request', async () => {
    const list = await listOf({}, tenTasks());
    list.apply(task('t10', 'delivered', '10'));
    expect(ids(list)).toEqual(['t10', 't9', 't8', 't7', 't6', 't5', 't4', 't3', 't2', 't1']);
    expect(list.hasMore.value).toBe(true);
    const more = list.loadMore();
    expect(waiting.at(-1)?.url.searchParams.get('created_before')).toBe('2026-01-31 12:00:02');
    waiting.at(-1)?.respond({ tasks: [task('t1', 'running', '01'), task('t0', 'running', '00')] });
    await more;
    expect(ids(list)?.slice(-2)).toEqual(['t1', 't0']);
    expect(list.hasMore.value).toBe(false);
    list.apply(task('t11', 'delivered', '11'));
    expect(list.rows.value).toHaveLength(11);
  });

  test('that is frozen for long counts all new tasks, and loads them when they are shown', async () => {
    const list = await listOf({}, tenTasks());
    list.freeze(true);
    for (let second = 10; second < 35; second += 1) list.apply(task(`t${second}`, 'delivered', `${second}`));
    list.apply(task('t12', 'replied', '12'), task('t12', 'delivered', '12'));
    expect(ids(list)?.[0]).toBe('t9');
    expect(list.waiting.value).toBe(25);
    list.showWaiting();
    waiting.at(-1)?.respond({ tasks: [task('t34', 'delivered', '34')], next_cursor: 'next' });
    await vi.waitFor(() => expect(ids(list)).toEqual(['t34']), 20_000);
    expect(list.waiting.value).toBe(0);
  });

  test('that is frozen keeps its rows while it loads again, and counts what the hub has above them', async () => {
    const list = await listOf({}, tenTasks(), 'next');
    list.freeze(true);
    const loaded = list.load();
    const [t11, t10] = [task('t11', 'delivered', '11'), task('t10', 'delivered', '10')];
    waiting.at(-1)?.respond({ tasks: [t11, t10, task('t9', 'replied', '09')], next_cursor: 'next' });
    await loaded;
    expect(ids(list)).toEqual(tenTasks().map(({ task_id }) => task_id));
    expect(list.rows.value?.[0]?.status).toBe('replied');
    expect(list.waiting.value).toBe(2);
    list.showWaiting();
    expect(ids(list)?.slice(0, 3)).toEqual(['t11', 't10', 't9']);
  });

  test('that is frozen and far behind loads what it missed when that is shown', async () => {
    const list = await listOf({}, tenTasks(), 'next');
    list.freeze(true);
    const loaded = list.load();
    waiting.at(-1)?.respond({ tasks: [task('t30', 'delivered', '30')], next_cursor: 'next' });
    await loaded;
    expect(ids(list)?.[0]).toBe('t9');
    expect(list.waiting.value).toBe(2);
    list.showWaiting();
    waiting.at(-1)?.respond({ tasks: [task('t30', 'delivered', '30')], next_cursor: 'next' });
    await vi.waitFor(() => expect(ids(list)).toEqual(['t30']), 20_000);
  });

  test('that is frozen while it loads for the first time shows what the cache missed below the first row', async () => {
    rememberTasks([task('t2', 'failed', '02')]);
    const list = taskList({ status: 'failed' }, 10);
    const loaded = list.load();
    list.freeze(true);
    waiting[0]?.respond({
      tasks: [task('t3', 'failed', '03'), task('t2', 'failed', '02'), task('t1', 'failed', '01')],
    });
    await loaded;
    expect(ids(list)).toEqual(['t2', 't1']);
    expect(list.waiting.value).toBe(1);
  });

  test('that is frozen counts a new task that another request of the page has found before its event', async () => {
    const list = await listOf({}, [task('t1', 'delivered', '01')]);
    list.freeze(true);
    const found = task('t2', 'delivered', '02');
    list.apply(found, found);
    expect(ids(list)).toEqual(['t1']);
    expect(list.waiting.value).toBe(1);
  });

  test('that is frozen does not count a known task of a page that is not loaded yet', async () => {
    const list = await listOf({}, [task('t2', 'delivered', '02')], 'next');
    list.freeze(true);
    list.apply(task('t1', 'running', '01'), task('t1', 'delivered', '01'));
    expect(list.waiting.value).toBe(0);
  });

  test('that is frozen while it loads for the first time keeps the order of tasks of the same second', async () => {
    rememberTasks([task('t2', 'failed', '01'), task('t1', 'failed', '01')]);
    const list = taskList({ status: 'failed' }, 10);
    const loaded = list.load();
    list.freeze(true);
    const before = ids(list);
    waiting[0]?.respond({ tasks: [task('t1', 'failed', '01'), task('t2', 'failed', '01')] });
    await loaded;
    expect(ids(list)).toEqual(before);
  });

  test('loads again when most of its tasks have left and the hub has more', async () => {
    vi.useFakeTimers();
    const list = await listOf(
      { status: 'running' },
      [task('t2', 'running', '02'), task('t1', 'running', '01')],
      'next',
    );
    list.apply(task('t2', 'replied', '02'), task('t2', 'running', '02'));
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    expect(waiting).toHaveLength(2);
    waiting.at(-1)?.respond({ tasks: [task('t1', 'running', '01'), task('t0', 'running', '00')] });
    await vi.waitFor(() => expect(ids(list)).toEqual(['t1', 't0']), 20_000);
  });

  test('searches whole texts: only the hub knows that there are no matches', async () => {
    rememberTasks([{ ...task('t1', 'running', '01'), content: 'the beginn', is_outline: true }]);
    markPoolComplete();
    const list = taskList({ text: 'end' }, 10);
    const loaded = list.load();
    expect(ids(list)).toBeUndefined();
    expect(waiting[0]?.url.searchParams.has('outline')).toBe(false);
    waiting[0]?.respond({ tasks: [{ ...task('t1', 'running', '01'), content: 'the beginning and the end' }] });
    await loaded;
    list.freeze(true);
    list.freeze(false);
    expect(ids(list)).toEqual(['t1']);
  });

  test('ignores a task that belongs to a page not loaded yet', async () => {
    const list = await listOf({}, [task('t3', 'running', '03')], 'next');
    list.apply(task('t0', 'replied', '00'));
    expect(ids(list)).toEqual(['t3']);
    const more = list.loadMore();
    expect(waiting.at(-1)?.url.searchParams.get('cursor')).toBe('next');
    waiting.at(-1)?.respond({ tasks: [task('t3', 'running', '03'), task('t0', 'replied', '00')] });
    await more;
    expect(ids(list)).toEqual(['t3', 't0']);
  });
});

describe('a filter', () => {
  const noon = Date.parse('2026-01-31T12:00:00Z');

  test('ignores unknown values in an address', () => {
    expect(taskFilterOf({ status: 'nonsense', to: 'ada', text: '', age: 'under-1h', priority: 'high' })).toEqual({
      status: undefined,
      to: 'ada',
      from: undefined,
      priority: 'high',
      text: undefined,
      age: 'under-1h',
    });
  });

  test('converts an age into timestamps for the hub', () => {
    expect(queryOf({ age: 'under-1h' }, noon)).toMatchObject({
      created_after: '2026-01-31 11:00:00',
      created_before: undefined,
    });
    expect(queryOf({ age: 'over-1d' }, noon)).toMatchObject({
      created_after: undefined,
      created_before: '2026-01-30 12:00:00',
    });
  });

  test.each([
    [{ text: 'T1' }, true],
    [{ text: 'é' }, false],
    [{ to: 'bob' }, true],
    [{ to: 'Bob' }, false],
    [{ from: 'ada', status: 'failed' }, true],
    [{ priority: 'low' }, false],
    [{ age: 'under-1h' }, true],
    [{ age: 'over-1h' }, false],
  ] as const)('%j answers as the hub would', (filter, expected) => {
    expect(matcherOf(filter, noon)(task('t1', 'failed', '00'))).toBe(expected);
  });
});

async function listOf(
  filter: Parameters<typeof taskList>[0],
  tasks: TaskRecord[],
  next_cursor?: string,
): Promise<TaskList> {
  const list = taskList(filter, 10);
  const loaded = list.load();
  waiting.at(-1)?.respond({ tasks, ...(next_cursor && { next_cursor }) });
  await loaded;
  return list;
}

function tenTasks(): TaskRecord[] {
  return Array.from({ length: 10 }, (_, index) => task(`t${9 - index}`, 'running', `0${9 - index}`));
}

function ids(list: TaskList): string[] | undefined {
  return list.rows.value?.map(({ task_id }) => task_id);
}

function task(task_id: string, status: TaskStatus, second: string): TaskRecord {
  const at = `2026-01-31 12:00:${second}`;
  return {
    task_id,
    status,
    from_name: 'ada',
    to_name: 'bob',
    priority: 'normal',
    content: task_id,
    result: null,
    network_id: 'net_1',
    attempt: 1,
    created_at: at,
    delivered_at: at,
    started_at: null,
    completed_at: null,
    expires_at: at,
  };
}
