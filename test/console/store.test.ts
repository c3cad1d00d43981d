import { beforeEach, describe, expect, test } from 'vitest';
import type { Agent } from '../../console/api.ts';
import * as store from '../../console/store.ts';
import type { TaskRecord, TaskStatus } from '../../server/domain/task.ts';

beforeEach(() => {
  store.clearStore();
  store.shownStatus.value = undefined;
});

describe('agents', () => {
  const aliases = () => store.agents.value?.map(({ alias }) => alias);

  test('are in the order a person counts, whatever order they come in', () => {
    store.setAgents([agent('worker-10'), agent('worker-2'), agent('Ada')]);
    expect(aliases()).toEqual(['Ada', 'worker-2', 'worker-10']);
    store.applyAgent(agent('worker-3'));
    expect(aliases()).toEqual(['Ada', 'worker-2', 'worker-3', 'worker-10']);
  });

  test('are the same one under a new alias', () => {
    store.setAgents([agent('old', { resume_id: 'r' })]);
    store.applyAgent(agent('new', { resume_id: 'r' }));
    expect(aliases()).toEqual(['new']);
  });

  test('give way to one that takes their alias over', () => {
    store.setAgents([agent('ada', { resume_id: 'before' })]);
    store.applyAgent(agent('ada', { resume_id: 'after' }));
    expect(store.agents.value?.map(({ resume_id }) => resume_id)).toEqual(['after']);
  });

  test('of a list not yet known are not made up from one event', () => {
    store.applyAgent(agent('early'));
    expect(store.agents.value).toBeNull();
  });

  test('show the messages that wait for them', () => {
    store.setAgents([agent('ada')]);
    store.applyInboxCount('ada', 3);
    store.applyInboxCount('nobody', 9);
    expect(store.agents.value).toMatchObject([{ alias: 'ada', inbox_count: 3 }]);
  });
});

describe('tasks', () => {
  const ids = () => store.tasks.value?.map(({ task_id }) => task_id);

  beforeEach(() => {
    store.setTasks({
      tasks: [task('t3', 'delivered', '03'), task('t2', 'running', '02'), task('t1', 'replied', '01')],
      stats: [{ status: 'delivered', count: 1 }, { status: 'running', count: 1 }, { status: 'replied', count: 8 }],
    });
  });

  test('that are new come first', () => {
    expect(store.applyTask(task('t4', 'delivered', '03'))).toBe(false);
    expect(ids()).toEqual(['t4', 't3', 't2', 't1']);
  });

  test('that change stay where they are, and the counts follow', () => {
    expect(store.applyTask(task('t2', 'replied', '02'))).toBe(true);
    expect(ids()).toEqual(['t3', 't2', 't1']);
    expect(store.taskCounts.value).toEqual({ delivered: 1, running: 0, replied: 9 });
    expect(store.taskTotal.value).toBe(10);
  });

  test('that come twice count once', () => {
    store.applyTask(task('t2', 'replied', '02'));
    store.applyTask(task('t2', 'replied', '02'));
    expect(store.taskCounts.value).toMatchObject({ running: 0, replied: 9 });
  });

  test('leave a list of one status with that status', () => {
    store.shownStatus.value = 'running';
    store.setTasks({ tasks: [task('t2', 'running', '02')] });
    store.applyTask(task('t9', 'failed', '09'));
    expect(ids()).toEqual(['t2']);
    store.applyTask(task('t2', 'failed', '02'));
    expect(ids()).toEqual([]);
  });

  test('older than the page wait for the page they belong to', () => {
    store.olderTasks.value = 'cursor';
    store.applyTask(task('t0', 'replied', '00'));
    expect(ids()).toEqual(['t3', 't2', 't1']);
    store.addOlderTasks({ tasks: [task('t1', 'replied', '01'), task('t0', 'replied', '00')] });
    expect(ids()).toEqual(['t3', 't2', 't1', 't0']);
  });
});

function agent(alias: string, more: Partial<Agent> = {}): Agent {
  return {
    resume_id: `resume ${alias}`, alias, status: 'idle', agent: null, model: null, task: null, progress: null,
    last_seen_at: '2026-01-31 12:00:00', network_id: 'net_1', server: null, hostname: null, ...more,
  };
}

function task(task_id: string, status: TaskStatus, second: string): TaskRecord {
  const at = `2026-01-31 12:00:${second}`;
  return {
    task_id, status, from_name: 'ada', to_name: 'bob', priority: 'normal', content: task_id, result: null, network_id: 'net_1', attempt: 1,
    created_at: at, delivered_at: at, started_at: null, completed_at: null, expires_at: at,
  };
}
