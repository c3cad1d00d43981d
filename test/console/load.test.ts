import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { account, beginSession, endReason } from '../../console/account.ts';
import { forgetNetwork, loadNetwork, receive } from '../../console/load.ts';
import * as store from '../../console/store.ts';
import { rememberTasks } from '../../console/task-pool.ts';

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada', role: 'user' } as const;
type Waiting = { url: URL; answer(body: object, status?: number): void };
let waiting: Waiting[];

beforeEach(() => {
  waiting = [];
  vi.stubGlobal('fetch', (path: string) => new Promise((resolve) => {
    const answer = (body: object, status = 200) => resolve(new Response(JSON.stringify(body), { status }));
    waiting.push({ url: new URL(path, 'http://hub'), answer });
  }));
  forgetNetwork();
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
});

afterEach(() => {
  forgetNetwork();
  vi.unstubAllGlobals();
});

test('a task that some list knew before the stream told of it is counted all the same', async () => {
  store.setCounts([], performance.now());
  const task = { task_id: 't1', status: 'delivered', created_at: '2026-01-01 00:00:00', delivered_at: '2026-01-01 00:00:00' };
  rememberTasks([JSON.parse(JSON.stringify(task))]);
  hear('task', task);
  await vi.waitFor(() => request('/api/tasks'), { timeout: 3_000 });
  request('/api/tasks').answer({ tasks: [], stats: [{ status: 'delivered', count: 1 }] });
  await vi.waitFor(() => expect(store.taskTotal.value).toBe(1));
});

describe('loading', () => {
  test('asks for the lists of the network that is watched', async () => {
    const loaded = loadNetwork();
    expect(asked()).toEqual(['/api/status?network_id=net_1', '/api/tasks?network_id=net_1&limit=1']);
    answerAll();
    await loaded;
    expect(store.agents.value).toEqual([]);
    expect(store.taskTotal.value).toBe(0);
  });

  test('loses no event that comes while the lists are under way', async () => {
    const loaded = loadNetwork();
    hear('session', { alias: 'ada', resume_id: 'r', status: 'working' });
    request('/api/status').answer({ sessions: [{ alias: 'ada', resume_id: 'r', status: 'idle' }] });
    request('/api/tasks').answer({ tasks: [], stats: [] });
    await loaded;
    await vi.waitFor(() => expect(store.agents.value).toMatchObject([{ alias: 'ada', status: 'working' }]));
  });

  test('that fails says so and keeps what was there', async () => {
    store.setAgents([]);
    const loaded = loadNetwork();
    request('/api/status').answer({ error: 'internal_error', message: '…' }, 500);
    await loaded;
    expect(store.loadFailed.value).toBe(true);
    expect(store.agents.value).toEqual([]);
  });

  test('with a token that has run out ends the session with a word why', async () => {
    const loaded = loadNetwork();
    for (const each of waiting) each.answer({ error: 'unauthorized', message: '…' }, 401);
    await loaded;
    expect(account.value).toBeNull();
    expect(endReason.value).toBe('expired');
  });

  test('starts again when the hub cannot tell what was missed', () => {
    receive({ type: 'resync', data: '{"reason":"too old"}' });
    expect(asked()).toHaveLength(2);
  });
});

test('an event that cannot be read is passed over', () => {
  store.setAgents([]);
  receive({ type: 'session', data: '{"alias":' });
  expect(store.agents.value).toEqual([]);
});

function asked(): string[] {
  return waiting.map(({ url }) => url.pathname + url.search);
}

function request(path: string): Waiting {
  const found = waiting.find(({ url }) => url.pathname === path);
  if (found === undefined) throw new Error(`nobody asked for ${path}`);
  return found;
}

function answerAll(): void {
  request('/api/status').answer({ sessions: [] });
  request('/api/tasks').answer({ tasks: [], stats: [] });
}

function hear(type: string, data: object): void {
  receive({ type, data: JSON.stringify({ type, ...data }) });
}
