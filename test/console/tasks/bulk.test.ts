import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { beginSession, endSession } from '../../../console/account/account.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { RequestError } from '../../../console/live/request.ts';
import { forgetTasks } from '../../../console/live/task-pool.ts';
import { type BulkAction, bulkProgress, bulkResult, runBulk, stopBulk } from '../../../console/tasks/bulk/bulk.ts';
import {
  type SelectedTask,
  select,
  selected,
  selectedTasks,
  selectMatching,
} from '../../../console/tasks/bulk/selection.ts';

beforeAll(loadLanguage);

const MANY = Array.from({ length: 10 }, (_, n) => ticked(`t${n}`));
const user = { user_id: 'u', username: 'ada', display_name: 'Ada', role: 'user' } as const;

beforeEach(() => {
  vi.stubGlobal('sessionStorage', undefined);
  beginSession({ token: 'utok_x', user, network_id: 'net_1' }, false);
});
afterEach(() => vi.unstubAllGlobals());

describe('a bulk action', () => {
  test('reports progress and lists rejected tasks with reasons', async () => {
    const seen: number[] = [];
    const outcome = await runBulk(
      MANY,
      retrying(async ({ task_id }) => {
        seen.push(bulkProgress.value?.done ?? -1);
        if (task_id === 't3') throw new RequestError(409, 'task is terminal', 'no');
      }),
    );
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBeGreaterThan(0);
    expect([outcome.done, outcome.rejected.map(({ task }) => task.task_id), outcome.notAttempted]).toEqual([
      9,
      ['t3'],
      [],
    ]);
    expect(outcome.rejected[0]?.why).not.toBe('');
    expect([bulkProgress.value, bulkResult.value]).toEqual([null, outcome]);
  });

  test.each([
    ['it is stopped', async () => stopBulk(), 1, 0],
    ['the hub is unreachable', async () => Promise.reject(new RequestError(0, 'unreachable', 'no')), 0, 4],
  ])('stops early when %s and keeps the tasks not attempted', async (_, act, done, rejected) => {
    const outcome = await runBulk(MANY, retrying(act));
    expect([outcome.done, outcome.rejected.length, outcome.notAttempted.length]).toEqual([
      done,
      rejected,
      MANY.length - done - rejected,
    ]);
  });

  test('stops at sign-out and shows nothing to the next user', async () => {
    const outcome = await runBulk(
      MANY,
      retrying(async () => endSession('signedOut')),
    );
    expect(outcome.notAttempted).toHaveLength(9);
    expect(bulkResult.value).toBeNull();
  });
});

describe('selecting all matching tasks', () => {
  test('works page by page, including tasks that are not cached', async () => {
    const requested: string[] = [];
    vi.stubGlobal('fetch', async (path: string) => {
      requested.push(new URL(path, 'http://hub').search);
      const [tasks, next] = path.includes('cursor') ? [['t3'], undefined] : [['t1', 't2'], 'more'];
      return new Response(
        JSON.stringify({ tasks: tasks.map((id) => ({ ...ticked(id), content: `# ${id}` })), next_cursor: next }),
      );
    });
    forgetTasks();
    const found: number[] = [];
    await selectMatching({ status: 'failed', text: 'paint' }, (n) => found.push(n) > 0);
    expect(requested).toEqual([
      '?status=failed&text=paint&network_id=net_1&limit=500&outline=true',
      '?status=failed&text=paint&network_id=net_1&limit=500&outline=true&cursor=more',
    ]);
    expect(found).toEqual([2, 3]);
    expect(selectedTasks().map(({ task_id }) => task_id)).toEqual(['t1', 't2', 't3']);
    select([]);
    await selectMatching({}, () => false);
    expect(selected.value.size).toBe(0);
  });
});

function ticked(task_id: string): SelectedTask {
  return { task_id, network_id: 'net_1', status: 'failed', expires_at: '2026-03-01 12:00:00', headline: task_id };
}

/** An action that retries. */
function retrying(run: BulkAction['run']): BulkAction {
  return { what: 'retry', run };
}
