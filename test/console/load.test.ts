import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { account, beginSession, endReason } from '../../console/account.ts';
import { dropHeld, loadNetwork, receive, showTasks } from '../../console/load.ts';
import * as store from '../../console/store.ts';

const USER = { user_id: 'usr_1', username: 'ada', display_name: 'Ada' };
type Waiting = { url: URL; answer(body: object, status?: number): void };
let waiting: Waiting[];

beforeEach(() => {
  waiting = [];
  vi.stubGlobal('fetch', (path: string) => new Promise((resolve) => {
    const answer = (body: object, status = 200) => resolve(new Response(JSON.stringify(body), { status }));
    waiting.push({ url: new URL(path, 'http://hub'), answer });
  }));
  store.clearStore();
  store.shownStatus.value = undefined;
  beginSession({ token: 'utok_x', user: USER, network_id: 'net_1' }, false);
});

afterEach(() => {
  dropHeld();
  vi.unstubAllGlobals();
});

describe('loading', () => {
  test('asks for the lists of the network that is watched', async () => {
    const loaded = loadNetwork();
    expect(asked()).toEqual(['/api/status?network_id=net_1', '/api/tasks?network_id=net_1&limit=100']);
    answerAll();
    await loaded;
    expect(store.agents.value).toEqual([]);
    expect(store.tasks.value).toEqual([]);
  });

  test('loses no event that comes while the lists are under way', async () => {
    const loaded = loadNetwork();
    hear('task', { task_id: 't1', status: 'replied', created_at: '2026-01-31 12:00:00' });
    expect(store.tasks.value).toBeNull();
    request('/api/status').answer({ sessions: [] });
    request('/api/tasks').answer({ tasks: [{ task_id: 't1', status: 'running', created_at: '2026-01-31 12:00:00' }], stats: [{ status: 'running', count: 1 }] });
    await loaded;
    expect(store.tasks.value).toMatchObject([{ task_id: 't1', status: 'replied' }]);
    expect(store.taskCounts.value).toEqual({ running: 0, replied: 1 });
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

  test('shows the last status asked for, in whatever order the answers come', async () => {
    const [failed, replied] = [showTasks('failed'), showTasks('replied')];
    waiting[1]?.answer({ tasks: [{ task_id: 'r', status: 'replied' }] });
    waiting[0]?.answer({ tasks: [{ task_id: 'f', status: 'failed' }] });
    await Promise.all([failed, replied]);
    expect(store.tasks.value).toMatchObject([{ task_id: 'r' }]);
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
