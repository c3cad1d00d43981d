import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { account, beginSession, endReason } from '../../../console/account/account.ts';
import { loadLanguage } from '../../../console/i18n/language.ts';
import type { Agent } from '../../../console/live/api.ts';
import { forgetNetwork, loadMoreAgents, loadNetwork, receive } from '../../../console/live/load.ts';
import * as store from '../../../console/live/store.ts';
import { rememberTasks } from '../../../console/live/task-pool.ts';

beforeAll(loadLanguage);

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada', role: 'user' } as const;
type Waiting = { url: URL; respond(body: object, status?: number): void };
let waiting: Waiting[];

beforeEach(() => {
  waiting = [];
  vi.stubGlobal(
    'fetch',
    (path: string) =>
      new Promise((resolve) => {
        const respond = (body: object, status = 200) => resolve(new Response(JSON.stringify(body), { status }));
        waiting.push({ url: new URL(path, 'http://hub'), respond });
      }),
  );
  forgetNetwork();
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
});

afterEach(() => {
  forgetNetwork();
  vi.unstubAllGlobals();
});

test('a task that a list loaded before its event arrived is still counted', async () => {
  store.setCounts([], performance.now());
  const task = {
    task_id: 't1',
    status: 'delivered',
    created_at: '2026-01-01 00:00:00',
    delivered_at: '2026-01-01 00:00:00',
  };
  rememberTasks([JSON.parse(JSON.stringify(task))]);
  deliver('task', task);
  await vi.waitFor(() => request('/api/tasks'), 20_000);
  request('/api/tasks').respond({ tasks: [], stats: [{ status: 'delivered', count: 1 }] });
  await vi.waitFor(() => expect(store.taskTotal.value).toBe(1), 20_000);
});

describe('a network with very many agents', () => {
  const SUMMARY = [
    { status: 'idle', count: 19_000 },
    { status: 'offline', count: 1_000 },
  ];
  const page = (from: number, next?: string) => ({
    sessions: Array.from({ length: 500 }, (_, index) => ({
      alias: `a-${String(from + index).padStart(5, '0')}`,
      resume_id: `r-${from + index}`,
      status: 'idle',
    })),
    summary: SUMMARY,
    ...(next !== undefined && { next_cursor: next }),
  });

  async function loadSome(): Promise<void> {
    const loaded = loadNetwork();
    request('/api/tasks').respond({ tasks: [], stats: [] });
    await respondWithPages([0, 500, 1_000, 1_500]);
    await loaded;
  }

  async function respondWithPages(starts: readonly number[]): Promise<void> {
    for (const from of starts) {
      const cursor = from === 0 ? null : `c${from}`;
      const pending = await vi.waitFor(() => request('/api/status', (query) => query.get('cursor') === cursor), 20_000);
      pending.respond(page(from, `c${from + 500}`));
    }
  }

  test('loads in part, with the counts of all agents', async () => {
    await loadSome();
    expect(store.agents.value).toHaveLength(2_000);
    expect([store.agentTotal.value, store.onlineCount.value]).toEqual([20_000, 19_000]);
    expect(sentRequests().filter((path) => path.startsWith('/api/status'))).toHaveLength(4);
  });

  test('continues where it ended when more agents are requested', async () => {
    await loadSome();
    const more = loadMoreAgents();
    await respondWithPages([2_000, 2_500, 3_000, 3_500]);
    await more;
    expect(store.agents.value?.map(({ alias }) => alias)).toEqual(
      Array.from({ length: 4_000 }, (_, index) => `a-${String(index).padStart(5, '0')}`),
    );
  });

  test('ignores agents on later pages and reloads the counts', async () => {
    await loadSome();
    deliver('session', { alias: 'a-15000', resume_id: 'r-15000', status: 'working' });
    deliver('session', { alias: 'a-00007', resume_id: 'r-7', status: 'working' });
    await vi.waitFor(
      () => expect(store.agents.value?.[7]).toMatchObject({ alias: 'a-00007', status: 'working' }),
      20_000,
    );
    expect(store.agents.value).toHaveLength(2_000);
    const recount = await vi.waitFor(() => request('/api/status', (query) => query.get('limit') === '1'), 20_000);
    recount.respond({
      sessions: [],
      summary: [
        { status: 'idle', count: 19_998 },
        { status: 'working', count: 2 },
      ],
      next_cursor: 'x',
    });
    await vi.waitFor(() => expect(store.agentCounts.value).toEqual({ idle: 19_998, working: 2 }), 20_000);
  });

  test('that grew while watched is reloaded once', async () => {
    store.setAgents(Array.from({ length: store.MAX_AGENTS }, (_, index) => agentOf(`a-${index}`)));
    deliver('session', agentOf('one more'));
    deliver('session', agentOf('another'));
    await vi.waitFor(
      () => expect(sentRequests().filter((path) => path.startsWith('/api/status'))).toHaveLength(1),
      20_000,
    );
    expect(store.agents.value).toHaveLength(store.MAX_AGENTS);
    respondToAll();
    await vi.waitFor(() => expect(store.agents.value).toEqual([]), 20_000);
  });

  const agentOf = (alias: string): Agent => ({
    alias,
    resume_id: alias,
    status: 'idle',
    agent: null,
    model: null,
    task: null,
    progress: null,
    last_seen_at: '2026-01-01 00:00:00',
    last_progress_at: '2026-01-01 00:00:00',
    status_since: '2026-01-01 00:00:00',
    network_id: 'net_1',
  });
});

describe('loading', () => {
  test('requests the lists of the watched network', async () => {
    const loaded = loadNetwork();
    expect(sentRequests()).toEqual([
      '/api/status?network_id=net_1&with_summary=true&limit=500',
      '/api/tasks?network_id=net_1&limit=1&outline=true',
    ]);
    respondToAll();
    await loaded;
    expect(store.agents.value).toEqual([]);
    expect(store.taskTotal.value).toBe(0);
  });

  test('loses no event that arrives while the lists load', async () => {
    const loaded = loadNetwork();
    deliver('session', { alias: 'ada', resume_id: 'r', status: 'working' });
    request('/api/status').respond({ sessions: [{ alias: 'ada', resume_id: 'r', status: 'idle' }] });
    request('/api/tasks').respond({ tasks: [], stats: [] });
    await loaded;
    await vi.waitFor(() => expect(store.agents.value).toMatchObject([{ alias: 'ada', status: 'working' }]), 20_000);
  });

  test('that fails reports the error and keeps the data', async () => {
    store.setAgents([]);
    const loaded = loadNetwork();
    request('/api/status').respond({ error: 'internal_error', message: '…' }, 500);
    await loaded;
    expect(store.loadFailed.value).toBe(true);
    expect(store.agents.value).toEqual([]);
  });

  test('with an expired token ends the session with a reason', async () => {
    const loaded = loadNetwork();
    for (const each of waiting) each.respond({ error: 'unauthorized', message: '…' }, 401);
    await loaded;
    expect(account.value).toBeNull();
    expect(endReason.value).toBe('expired');
  });

  test('restarts when the hub cannot replay missed events', () => {
    receive({ type: 'resync', data: '{"reason":"too old"}' });
    expect(sentRequests()).toHaveLength(2);
  });
});

test('an invalid event is ignored', () => {
  store.setAgents([]);
  receive({ type: 'session', data: '{"alias":' });
  expect(store.agents.value).toEqual([]);
});

function sentRequests(): string[] {
  return waiting.map(({ url }) => url.pathname + url.search);
}

function request(path: string, fits: (query: URLSearchParams) => boolean = () => true): Waiting {
  const found = waiting.find(({ url }) => url.pathname === path && fits(url.searchParams));
  if (found === undefined) throw new Error(`nobody asked for ${path}`);
  return found;
}

function respondToAll(): void {
  request('/api/status').respond({ sessions: [] });
  request('/api/tasks').respond({ tasks: [], stats: [] });
}

function deliver(type: string, data: object): void {
  receive({ type, data: JSON.stringify({ type, ...data }) });
}
