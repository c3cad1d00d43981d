import { beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '../../../console/live/api.ts';
import * as store from '../../../console/live/store.ts';

beforeEach(() => store.clearStore());

describe('agents', () => {
  const aliases = () => store.agents.value?.map(({ alias }) => alias);

  test('are in natural order, regardless of arrival', () => {
    store.setAgents([agent('worker-10'), agent('worker-2'), agent('Ada')]);
    expect(aliases()).toEqual(['Ada', 'worker-2', 'worker-10']);
    store.applyAgent(agent('worker-3'));
    expect(aliases()).toEqual(['Ada', 'worker-2', 'worker-3', 'worker-10']);
  });

  test('stay one agent after a rename', () => {
    store.setAgents([agent('old', { resume_id: 'r' })]);
    store.applyAgent(agent('new', { resume_id: 'r' }));
    expect(aliases()).toEqual(['new']);
  });

  test('are replaced by one that takes over their alias', () => {
    store.setAgents([agent('ada', { resume_id: 'before' })]);
    store.applyAgent(agent('ada', { resume_id: 'after' }));
    expect(store.agents.value?.map(({ resume_id }) => resume_id)).toEqual(['after']);
  });

  test('are not created from an event before the list is loaded', () => {
    store.applyAgent(agent('early'));
    expect(store.agents.value).toBeNull();
  });

  test('show their inbox count', () => {
    store.setAgents([agent('ada')]);
    store.applyInboxCount('ada', 3);
    store.applyInboxCount('nobody', 9);
    expect(store.agents.value).toMatchObject([{ alias: 'ada', inbox_count: 3 }]);
  });
});

describe('counts', () => {
  test('follow a task between statuses', () => {
    store.setCounts(
      [
        { status: 'delivered', count: 1 },
        { status: 'running', count: 1 },
        { status: 'replied', count: 8 },
      ],
      0,
    );
    store.moveCount('running', 'replied');
    store.moveCount('replied', 'replied');
    expect(store.taskCounts.value).toEqual({ delivered: 1, running: 0, replied: 9 });
    expect(store.taskTotal.value).toBe(10);
  });

  test('from a response that a newer request overtook are dropped', () => {
    store.setCounts([{ status: 'failed', count: 2 }], 20);
    store.setCounts([{ status: 'failed', count: 1 }], 10);
    expect(store.taskCounts.value).toEqual({ failed: 2 });
  });

  test('stay unknown until loaded', () => {
    store.moveCount('running', 'replied');
    expect(store.taskCounts.value).toBeNull();
  });
});

function agent(alias: string, more: Partial<Agent> = {}): Agent {
  return {
    resume_id: `resume ${alias}`,
    alias,
    status: 'idle',
    agent: null,
    model: null,
    task: null,
    progress: null,
    last_seen_at: '2026-01-31 12:00:00',
    last_progress_at: '2026-01-31 12:00:00',
    status_since: '2026-01-31 12:00:00',
    network_id: 'net_1',
    server: null,
    hostname: null,
    ...more,
  };
}
