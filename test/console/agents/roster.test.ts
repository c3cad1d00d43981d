// The rows of the agents: who is stuck, what each works on, and the order by attention and by column.
import { describe, expect, test } from 'vitest';
import { nextSort, rosterOf, SORT_COLUMNS, sortName, sortNamed, sortRows } from '../../../console/agents/roster.ts';
import type { Agent } from '../../../console/live/api.ts';
import { momentOf } from '../../../console/parts/format.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';

const NOW = momentOf('2026-01-31 12:00:00');
const LONG_AGO = '2026-01-31 11:50:00';
const RECENTLY = '2026-01-31 11:50:01';

describe('an agent is stuck', () => {
  test.each<[string, Partial<Agent>, Partial<TaskRecord> | undefined, string, boolean]>([
    ['if it works without progress for ten minutes', {}, undefined, '', true],
    ['but not after nine minutes and 59 seconds', { last_progress_at: RECENTLY }, undefined, '', false],
    ['but not while idle', { status: 'idle' }, undefined, '', false],
    ['but not while it needs input', { status: 'waiting_input' }, undefined, '', false],
    ['but not while offline', { status: 'offline' }, undefined, '', false],
    ['if its task started long ago', {}, { started_at: LONG_AGO }, '', true],
    ['but not if its task started recently', {}, { started_at: RECENTLY }, '', false],
    ['but not if it replied to a task recently', {}, undefined, RECENTLY, false],
  ])('%s', (_, more, task, replied, isStuck) => {
    const agent = agentOf('ann', { status: 'working', last_progress_at: LONG_AGO, ...more });
    const [row] = rosterOf([agent], task ? [taskOf('ann', task)] : [], new Map([['ann', replied]]), NOW);
    expect(row?.stuckSince).toBe(isStuck ? momentOf(LONG_AGO) : undefined);
  });
});

describe('an agent works on', () => {
  test.each<[string, string | null, string]>([
    ['what it reports', 'Paint\nthe wall', 'Paint'],
    ['its running task, if it reports nothing', null, 'Newer task'],
    ['the content of its task, if it reports the id', 'task_2', 'Newer task'],
  ])('%s', (_, task, work) => {
    const running = [
      taskOf('ann', { task_id: 'task_2', content: 'Newer task', started_at: RECENTLY }),
      taskOf('ann', { task_id: 'task_1', content: 'Older task', started_at: LONG_AGO }),
      taskOf('bob', { task_id: 'task_3' }),
    ];
    const [row] = rosterOf([agentOf('ann', { task })], running, new Map(), NOW);
    expect([row?.work, row?.task?.task_id]).toEqual([work, 'task_2']);
  });
});

test('an idle agent works on its running task only', () => {
  const idle = agentOf('ann', { status: 'idle', task: 'Paint', progress: 80 });
  const workOf = (running: TaskRecord[]) => rosterOf([idle], running, new Map(), NOW)[0]?.work;
  expect(workOf([])).toBe('');
  expect(workOf([taskOf('ann', {})])).toBe('Paint');
  const named = agentOf('ann', { status: 'error', task: 'task_VcFmmll1swLxg8v3' });
  expect(rosterOf([named], [], new Map(), NOW)[0]?.work).toBe('');
});

describe('the order', () => {
  const agents = [
    agentOf('ann', { status: 'idle', model: 'm-10', inbox_count: 2, last_seen_at: '2026-01-31 11:00:00' }),
    agentOf('bob', { status: 'offline', model: 'm-9', hostname: 'mars' }),
    agentOf('cat', { status: 'working', task: 'b', progress: 5, last_progress_at: RECENTLY }),
    agentOf('dan', { status: 'working', task: 'a', progress: 80, last_progress_at: LONG_AGO }),
    agentOf('eve', { status: 'blocked', server: 'venus' }),
    agentOf('fay', { status: 'waiting_input' }),
    agentOf('gil', { status: 'error', inbox_count: 10 }),
    agentOf('hal', { status: 'error' }),
  ];
  const inOrder = (name: string | undefined) =>
    sortRows(rosterOf(agents, [], new Map(), NOW), sortNamed(name))
      .map(({ agent }) => agent.alias)
      .join(' ');

  test.each<[string, string | undefined, string]>([
    ['is by attention, then by name', undefined, 'fay gil hal eve dan cat ann bob'],
    ['is by attention for a column that does not exist', '-height', 'fay gil hal eve dan cat ann bob'],
    ['is reversed, except among equals', '-status', 'bob ann cat dan eve gil hal fay'],
    ['by name', 'agent', 'ann bob cat dan eve fay gil hal'],
    ['by name, reversed', '-agent', 'hal gil fay eve dan cat bob ann'],
    ['by work, those without last', 'task', 'dan cat ann bob eve fay gil hal'],
    ['by progress', '-progress', 'dan cat ann bob eve fay gil hal'],
    ['by model, numbers by value', 'model', 'bob ann cat dan eve fay gil hal'],
    ['by host or server', 'host', 'bob eve ann cat dan fay gil hal'],
    ['by queue', '-inbox', 'gil ann bob cat dan eve fay hal'],
    ['by the age of the heartbeat', '-seen', 'ann bob cat dan eve fay gil hal'],
  ])('%s', (_, name, order) => {
    expect(inOrder(name)).toBe(order);
  });

  test('of a column is reversed by choosing it again, and every sort can be in an address', () => {
    for (const column of SORT_COLUMNS) {
      const first = nextSort(column, sortNamed(column === 'agent' ? undefined : 'agent'));
      const second = nextSort(column, first);
      expect(second).toEqual({ column, isDescending: !first.isDescending });
      expect(nextSort(column, second)).toEqual(first);
      for (const sort of [first, second]) expect(sortNamed(sortName(sort))).toEqual(sort);
    }
    expect(sortName(sortNamed(undefined))).toBeUndefined();
  });
});

function agentOf(alias: string, more: Partial<Agent> = {}): Agent {
  return {
    alias,
    resume_id: alias,
    status: 'idle',
    agent: null,
    model: null,
    task: null,
    progress: null,
    last_seen_at: '2026-01-31 11:59:00',
    last_progress_at: '2026-01-31 11:59:00',
    status_since: '2026-01-31 11:59:00',
    network_id: 'net_1',
    ...more,
  };
}

function taskOf(to_name: string, more: Partial<TaskRecord>): TaskRecord {
  return {
    task_id: 'task_1',
    from_name: 'ada',
    to_name,
    priority: 'normal',
    status: 'running',
    content: 'A task',
    result: null,
    created_at: LONG_AGO,
    delivered_at: LONG_AGO,
    started_at: LONG_AGO,
    completed_at: null,
    expires_at: '2026-01-31 13:00:00',
    network_id: 'net_1',
    attempt: 1,
    ...more,
  };
}
