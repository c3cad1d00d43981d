import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { setAgents } from '../../../console/live/store.ts';
import { forgetTasks, rememberTasks } from '../../../console/live/task-pool.ts';
import { agentKey, answeredKey, dismissedKey } from '../../../console/needs-you/agent-needs.ts';
import { nextRows, waitingIn } from '../../../console/needs-you/held-rows.ts';
import type { Known, Need } from '../../../console/needs-you/need.ts';
import { needOutcome } from '../../../console/needs-you/need-outcome.ts';
import { needPath, needReason, needSubject, needTitle } from '../../../console/needs-you/need-text.ts';
import { answeredMail, dismissKeys, visit } from '../../../console/needs-you/visit.ts';
import { agent, at, find, lost, message, NOW, task } from './records.ts';

beforeAll(loadLanguage);

afterEach(() => {
  forgetTasks();
  setAgents([]);
  visit.value = { seenAt: '', dismissed: [], answeredAt: {} };
  answeredMail.clear();
});

const waiting = agent('builder', 'waiting_input', at('11:50:00'));

describe('a row that is held', () => {
  test('never becomes another question of the same agent', () => {
    const [before] = held({ agents: [waiting], mail: [message('m1')] });
    expect(before).toMatchObject({ need: { shown: { id: 'm1' } } });
    const all = find({ agents: [waiting], mail: [message('m2')] });
    const rows = nextRows(before === undefined ? [] : [before], all, true);
    expect(rows).toMatchObject([{ isSettled: true, need: { shown: { id: 'm1' } } }]);
    expect(waitingIn(rows, all)).toBe(1);
  });

  test('of an agent takes its question, and is settled by the answer', () => {
    const asked = nextRows(held({ agents: [waiting] }), find({ agents: [waiting], mail: [message('m1')] }), true);
    expect(asked).toMatchObject([{ isSettled: false, need: { kind: 'mail', shown: { id: 'm1' } } }]);
    const dismissed = new Set([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    const all = find({ agents: [waiting], dismissed });
    const answered = nextRows(asked, all, true);
    expect(answered).toMatchObject([{ isSettled: true, need: { shown: { id: 'm1' } } }]);
    expect(waitingIn(answered, all)).toBe(0);
    const again = find({ agents: [{ ...waiting, last_output: 'And now?' }], dismissed });
    expect(nextRows(held({ agents: [waiting], dismissed }), again, true)).toMatchObject([
      { isSettled: true, need: { isAnswered: true } },
    ]);
  });

  test('of an agent that was answered becomes a need again when the answer has not helped', () => {
    const gone = lost();
    const [need] = find({ agents: [gone] });
    const mark = need && 'agent' in need ? answeredKey(need.key, gone) : '';
    const answeredAt = (ms: number) => ({ [mark]: Date.parse(`${NOW.replace(' ', 'T')}Z`) - ms });
    const written = { agents: [gone], dismissed: new Set([mark]) };
    const before = held({ ...written, answeredAt: answeredAt(60_000) });
    expect(before).toMatchObject([{ need: { isAnswered: true } }]);
    const all = find({ ...written, answeredAt: answeredAt(120_000) });
    const rows = nextRows(before, all, true);
    expect(rows).toMatchObject([{ isSettled: false, need: { kind: 'stuck', isAnswered: false } }]);
    expect(waitingIn(rows, all)).toBe(0);
  });

  test('of a task that waits takes no other one of its agent, which waits behind it', () => {
    const tasks = ['t1', 't2'].map((id) => task(id, { delivered_at: at('11:40:00') }));
    const before = held({ tasks: tasks.slice(0, 1) });
    const all = find({ tasks });
    const rows = nextRows(before, all, true);
    expect(rows).toMatchObject([{ isSettled: false, need: { task: { task_id: 't1' }, tasks: [{ task_id: 't1' }] } }]);
    expect(rows[0]?.need.acts).toEqual(before[0]?.need.acts);
    expect(waitingIn(rows, all)).toBe(1);
    const left = find({ tasks: tasks.slice(1) });
    rememberTasks([task('t1', { status: 'cancelled', delivered_at: at('11:40:00') })]);
    const [settled] = nextRows(rows, left, true);
    expect(settled).toMatchObject({ isSettled: true, need: { tasks: [{ task_id: 't1' }] } });
    expect(settled && needOutcome(settled.need, left).text).toBe('Cancelled');
    expect(waitingIn(settled === undefined ? [] : [settled], left)).toBe(1);
    expect(nextRows(rows, all, false)).toMatchObject([{ need: { tasks: [{ task_id: 't1' }, { task_id: 't2' }] } }]);
  });

  test('of a failure keeps its actions when more tasks of its agent fail', () => {
    const tasks = ['t1', 't2', 't3'].map((id) => task(id, { status: 'failed', completed_at: NOW, content: id }));
    const rows = nextRows(held({ tasks: tasks.slice(0, 1) }), find({ tasks }), true);
    expect(rows).toMatchObject([
      {
        key: 'failed t1 1',
        isSettled: false,
        need: { tasks: [{ task_id: 't1' }], acts: ['retry', 'reassign', 'dismiss'] },
      },
    ]);
    expect(rows.map(({ need }) => needTitle(need))).toEqual(['t1']);
    expect(waitingIn(rows, find({ tasks }))).toBe(1);
    const retried = nextRows(rows, find({ tasks: tasks.slice(1) }), true);
    expect(retried).toMatchObject([{ isSettled: true, need: { tasks: [{ task_id: 't1' }] } }]);
  });

  test('keeps the task that its agent loses, and says what happened to it', () => {
    const running = task('task_1', { status: 'running', started_at: at('11:40:00') });
    const failing = { ...agent('builder', 'error', at('11:50:00')), task: 'task_1', last_output: 'No paint' };
    const before = held({ agents: [failing], tasks: [running] });
    rememberTasks([{ ...running, status: 'cancelled', completed_at: NOW }]);
    const rows = nextRows(before, find({ agents: [failing] }), true);
    expect(rows).toMatchObject([{ isSettled: false, need: { task: { task_id: 'task_1' } } }]);
    const [settled] = nextRows(rows, [], true);
    expect(settled && [needSubject(settled.need), needOutcome(settled.need, []).text]).toEqual([
      'Paint the wall',
      'Cancelled',
    ]);
  });

  test('is dropped when another network loads', () => {
    const rows = held({ mail: [message('m1')] });
    expect(nextRows(rows, find({ mail: [message('m2')] }), true)).toMatchObject([{ isSettled: true }]);
    expect(nextRows(rows, null, true)).toEqual([]);
  });
});

describe('a row that was settled says what happened:', () => {
  const delivered = task('t', { delivered_at: at('11:00:00') });

  test.each([
    ['expired', 'Expired'],
    ['cancelled', 'Cancelled'],
    ['running', 'Running'],
    ['replied', 'Done'],
  ] as const)('a task that is %s', (status, text) => {
    rememberTasks([{ ...delivered, status }]);
    expect(outcomes({ tasks: [delivered] })).toEqual([text]);
  });

  test('a task that was fetched, sent again or dismissed', () => {
    rememberTasks([{ ...delivered, fetched_at: NOW, expires_at: LATER }]);
    expect(outcomes({ tasks: [delivered] })).toEqual(['Fetched']);
    rememberTasks([{ ...delivered, expires_at: NOW }]);
    expect(outcomes({ tasks: [delivered] })).toEqual(['Expired']);
    const failed = task('t', { status: 'failed', completed_at: NOW });
    rememberTasks([{ ...failed, status: 'delivered', attempt: 2, expires_at: LATER }]);
    expect(outcomes({ tasks: [failed] })).toEqual(['Sent again']);
    visit.value = { seenAt: '', dismissed: ['failed t 1'], answeredAt: {} };
    expect(outcomes({ tasks: [failed] })).toEqual(['Dismissed']);
  });

  test('with a check only if somebody took care of it', () => {
    for (const status of ['replied', 'cancelled', 'running', 'failed', 'expired'] as const) {
      rememberTasks([{ ...delivered, status }]);
      expect(icons({ tasks: [delivered] })).toEqual([status === 'replied' ? 'check' : status]);
    }
    rememberTasks([{ ...delivered, fetched_at: NOW, expires_at: LATER }]);
    expect(icons({ tasks: [delivered] })).toEqual(['inbox']);
    rememberTasks([{ ...delivered, expires_at: NOW }]);
    expect(icons({ tasks: [delivered] })).toEqual(['expired']);
    setAgents([{ ...waiting, status: 'offline' }]);
    expect(icons({ agents: [waiting] })).toEqual(['agents']);
  });

  test('a message', () => {
    const known = { mail: [message('m1')] };
    expect(outcomes(known)).toEqual(['Read']);
    const more = ['m1', 'm2', 'm3', 'm4'].map((id) => message(id));
    expect(needOutcome(only(known), find({ mail: more })).text).toBe('Grouped with newer messages');
    answeredMail.add('m1');
    expect(outcomes(known)).toEqual(['Answered']);
  });

  test('an agent', () => {
    const known = { agents: [waiting] };
    setAgents([{ ...waiting, status: 'working' }]);
    expect(outcomes(known)).toEqual(['Recovered']);
    const held = task('held', { status: 'running', to_name: waiting.alias });
    rememberTasks([{ ...held, status: 'cancelled' }]);
    expect(outcomes({ ...known, tasks: [held] })).toEqual(['Cancelled']);
    setAgents([{ ...waiting, status: 'offline' }]);
    expect(outcomes(known)).toEqual(['Offline']);
    dismissKeys([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    expect(outcomes(known)).toEqual(['Answered']);
    dismissKeys([dismissedKey(agentKey('waiting_input', waiting), waiting)]);
    expect(outcomes(known)).toEqual(['Dismissed']);
  });
});

describe('the texts', () => {
  test('of a task that nobody fetched say why, and what to do', () => {
    const unfetched = () =>
      needReason(
        only({ tasks: [task('t', { delivered_at: at('11:00:00') })] }),
        Date.parse(`${NOW.replace(' ', 'T')}Z`),
      );
    setAgents([]);
    expect(unfetched()).toContain('No agent has ever reported as builder. Check the name, ');
    setAgents([agent('builder', 'offline')]);
    expect(unfetched()).toContain('builder is offline, last seen ');
    expect(unfetched()).toContain('Restart the agent, or reassign the task.');
  });

  test('of a task that its agent has abandoned say why, and what to do', () => {
    const abandoned = (status: 'offline' | 'idle' | 'working') => {
      setAgents([agent('builder', status, at('11:00:00'))]);
      const tasks = ['11:30:00', '11:40:00'].map((time) =>
        task(time, { status: 'running', started_at: at(time), delivered_at: at(time) }),
      );
      const [need] = find({ agents: [agent('builder', status, at('11:00:00'))], tasks });
      return need === undefined ? '' : needReason(need, Date.parse(`${NOW.replace(' ', 'T')}Z`));
    };
    expect(abandoned('offline')).toMatch(
      /^2 tasks: builder is offline, last seen .* reassign the task\. Expires in 11h\.$/,
    );
    expect(abandoned('idle')).toMatch(/^2 tasks: builder is idle\. .* reassign the task\.$/);
    expect(abandoned('working')).toBe('builder has not replied and works on other tasks.');
  });

  test('of a question whose task has ended say so', () => {
    const known = {
      mail: [message('m', { created_at: at('11:45:00') })],
      tasks: [task('t', { status: 'replied', started_at: at('11:40:00'), completed_at: NOW, content: 'Mow the lawn' })],
    };
    expect(needReason(only(known), 0)).toBe('Its task has ended: Which color?');
    expect(needSubject(only(known))).toBe('Mow the lawn');
  });

  test('of a reply do not name another task of its sender', () => {
    const running = task('t', { status: 'running', content: 'Paint the wall' });
    const reply = message('m', { type: 'reply', status: 'failed', in_reply_to: 'unknown' });
    expect(needSubject(only({ mail: [reply], tasks: [running] }))).toBe('');
  });

  test('of a message name the task that it is about', () => {
    const running = task('t', { status: 'running', content: 'Paint the wall' });
    expect(needSubject(only({ mail: [message('m')], tasks: [running] }))).toBe('Paint the wall');
    rememberTasks([task('other', { content: 'Mow the lawn', status: 'replied' })]);
    expect(needSubject(only({ mail: [message('m', { in_reply_to: 'other' })], tasks: [running] }))).toBe(
      'Mow the lawn',
    );
  });

  test('of results are one row', () => {
    const mail = ['planner', 'docs', 'planner'].map((from_session, n) =>
      message(`r${n}`, { type: 'reply', status: 'replied', from_session }),
    );
    const need = only({ mail });
    expect([needTitle(need), needReason(need, 0)]).toEqual([
      '3 results',
      'planner: Painted it gray. · docs: Painted it gray. · planner: Painted it gray.',
    ]);
  });

  test('say what a task asks of the person, with its options', () => {
    const content = 'Which name?\n\n1. ledger\n2. journal';
    const asked = only({ tasks: [task('t', { to_name: 'ada', from_name: 'ops', content })] });
    expect([needTitle(asked), needReason(asked, 0)]).toEqual([
      'Which name?',
      'Task for you from ops. 1. ledger 2. journal',
    ]);
  });

  test('open the page of the task of the only result, or the list of those that have results', () => {
    const result = (id: string, alias: string, in_reply_to: string) =>
      message(id, { type: 'reply', status: 'replied', alias, in_reply_to });
    const path = (...mail: ReturnType<typeof result>[]) => needPath(only({ mail }));
    expect(path(result('r1', 'ada', 'task_1'))).toBe('/tasks/task_1');
    expect(path(result('r1', 'ada', 'task_1'), result('r2', 'ada', 'task_2'))).toBe('/messages?of=ada');
    expect(path(result('r1', 'hub', 'task_1'), result('r2', 'hub', 'task_2'))).toBe('/messages?of=hub');
    expect(path(result('r1', 'ada', 'task_1'), result('r2', 'hub', 'task_2'))).toBe('/messages?of=hub');
  });
});

/** After the date of any run of the tests. */
const LATER = '9999-01-01 00:00:00';
const held = (known: Partial<Known>) => nextRows([], find(known), false);

const outcomes = (known: Partial<Known>) => find(known).map((need) => needOutcome(need, []).text);
const icons = (known: Partial<Known>) => find(known).map((need) => needOutcome(need, []).icon);

function only(known: Partial<Known>): Need {
  const [need, ...others] = find(known);
  if (need === undefined || others.length > 0) throw new Error('expected one need');
  return need;
}
