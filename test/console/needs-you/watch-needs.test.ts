import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { beginSession } from '../../../console/account/account.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { hubTime } from '../../../console/live/clock.ts';
import { emitLiveEvent } from '../../../console/live/live-events.ts';
import { forgetNetwork } from '../../../console/live/load.ts';
import { setAgents, setCounts } from '../../../console/live/store.ts';
import { rememberTasks } from '../../../console/live/task-pool.ts';
import { needs, watchNeeds } from '../../../console/needs-you/watch-needs.ts';
import { stampOf } from '../../../console/parts/format.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';

beforeAll(loadLanguage);

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada', role: 'user' } as const;
const OLD_MS = 600_000;

let waiting: TaskRecord[];
let asked: string[];
let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: false });
  vi.stubGlobal('addEventListener', () => {});
  vi.stubGlobal('removeEventListener', () => {});
  [waiting, asked] = [[], []];
  vi.stubGlobal('fetch', (path: string) => {
    const { pathname, searchParams } = new URL(path, 'http://hub');
    asked.push(`${pathname} ${searchParams.get('alias') ?? searchParams.get('status')}`);
    return Promise.resolve(new Response(JSON.stringify({ messages: [], tasks: waiting })));
  });
  forgetNetwork();
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
  setAgents([]);
  setCounts([{ status: 'delivered', count: 1 }], performance.now());
  stop = watchNeeds('net_1', USER);
});

afterEach(() => {
  stop();
  forgetNetwork();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('a task that looks unfetched', () => {
  test('is shown when the hub confirms it, and until it was fetched', async () => {
    waiting = [task()];
    await vi.advanceTimersByTimeAsync(2_000);
    expect(kinds()).toEqual(['unfetched']);
    waiting = [{ ...task(), fetched_at: stampOf(hubTime()) }];
    await vi.advanceTimersByTimeAsync(30_000);
    expect(kinds()).toEqual([]);
  });

  test('is not shown when it was fetched, which has no event', async () => {
    await vi.advanceTimersByTimeAsync(10_000);
    waiting = [{ ...task(), fetched_at: stampOf(hubTime()) }];
    rememberTasks([task()]);
    const shown: unknown[] = [];
    const end = needs.subscribe((value) => shown.push(...(value ?? [])));
    await vi.advanceTimersByTimeAsync(30_000);
    end();
    expect(shown).toEqual([]);
    expect(asked.filter((path) => path === '/api/tasks delivered').length).toBeGreaterThan(1);
  });
});

describe('mail', () => {
  test('is loaded at most once per second, however many messages arrive', async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    asked = [];
    for (let n = 0; n < 100; n++) {
      emitLiveEvent({ type: 'new_message', alias: 'ada', from: 'builder', message: 'x', message_id: `m${n}` });
      await vi.advanceTimersByTimeAsync(20);
    }
    await vi.advanceTimersByTimeAsync(2_000);
    expect(asked.filter((path) => path === '/api/messages ada').length).toBeLessThanOrEqual(4);
    expect(asked).toContain('/api/messages hub');
  });

  test('of others is not loaded', async () => {
    await vi.advanceTimersByTimeAsync(3_000);
    asked = [];
    emitLiveEvent({ type: 'new_message', alias: 'grace', from: 'builder', message: 'x', message_id: 'm1' });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(asked).toEqual([]);
  });
});

const kinds = () => needs.value?.map(({ kind }) => kind);

function task(): TaskRecord {
  const sent = stampOf(hubTime() - OLD_MS);
  return {
    task_id: 't',
    from_name: 'ada',
    to_name: 'builder',
    priority: 'normal',
    status: 'delivered',
    content: 'Paint the wall',
    result: null,
    created_at: sent,
    delivered_at: sent,
    started_at: null,
    completed_at: null,
    expires_at: stampOf(hubTime() + 10 * OLD_MS),
    network_id: 'net_1',
    attempt: 1,
  };
}
