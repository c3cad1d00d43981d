// What an agent asks: by its status, by its output, by a message, and after it went offline.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { setAgents } from '../../../console/live/store.ts';
import { forgetTasks, rememberTasks } from '../../../console/live/task-pool.ts';
import { agentKey, answeredKey, dismissedKey, haltedStatus } from '../../../console/needs-you/agent-needs.ts';
import { RANKS } from '../../../console/needs-you/need.ts';
import { needOutcome } from '../../../console/needs-you/need-outcome.ts';
import { needReason, needSubject, needTitle } from '../../../console/needs-you/need-text.ts';
import { agent, at, find, keysOf, known, lost, message, NOW, task } from './records.ts';

beforeAll(loadLanguage);
afterEach(() => {
  forgetTasks();
  setAgents([]);
});

const waiting = { ...agent('builder', 'waiting_input', at('11:50:00')), last_output: 'Which color?' };
const silent = { ...waiting, status: 'offline' as const, last_status: waiting.status, status_since: at('12:00:00') };
const runs = (changes = {}) =>
  task('t', { status: 'running', started_at: at('11:40:00'), delivered_at: at('11:40:00'), ...changes });

describe('an agent that waits, and its messages', () => {
  test('are one row if the message repeats the output, or its beginning', () => {
    const repeated = message('m', { content: '**Which color?** Blue or gray.', created_at: at('11:58:00') });
    const [need, ...others] = find({ agents: [waiting], mail: [repeated] });
    expect(others).toEqual([]);
    expect(need && needReason(need, 0)).toBe('Needs input: Which color? Blue or gray.');
    const cut = { ...waiting, last_output: 'Which color? Blue or g…' };
    expect(keysOf({ agents: [cut], mail: [repeated] })).toEqual(['mail m']);
  });

  test.each([
    ['in the same minute', 'waiting_input', 'Waiting for an answer', 'Which color?', '11:50:59', true],
    ['of an agent that is blocked', 'blocked', 'No paint', 'May I buy some?', '11:49:10', true],
    ['later', 'waiting_input', 'Waiting for an answer', 'Which color?', '11:51:01', false],
    ['and the output asks something else', 'waiting_input', 'Which door?', 'Which color?', '11:50:01', false],
    ['of an agent that reports an error', 'error', 'No paint', 'May I buy some?', '11:50:01', false],
  ] as const)('are one row if the message asks %s: %s', (_, status, last_output, content, when, isOne) => {
    const asking = { ...agent('builder', status, at('11:50:00')), last_output };
    const needs = find({ agents: [asking], mail: [message('m', { content, created_at: at(when) })] });
    expect(needs).toHaveLength(isOne ? 1 : 2);
    if (isOne) expect(needs).toMatchObject([{ kind: 'mail', asker: { kind: status }, rank: RANKS[status] }]);
    const [first] = needs;
    if (isOne && first)
      expect(needReason(first, 0)).toBe(`${status === 'blocked' ? 'Blocked' : 'Needs input'}: ${content}`);
  });

  test.each([
    ['Which color?\n- Blue\n- Gray', 'Which color? Blue · Gray'],
    ['Two walls are left.\n\nWhich color?\n- Blue\n- Gray', 'Which color? Blue · Gray'],
    ['Two walls are left.\nI go on.', 'Two walls are left. I go on.'],
    ['> Which color?\n\nBlue it is.', 'Blue it is.'],
  ])('a row of the message %j says %j', (content, expected) => {
    const [need] = find({ mail: [message('m', { content })] });
    expect(need && needReason(need, 0)).toBe(`Message: ${expected}`);
  });

  test('keep the question in the row after a first answer, until the agent goes on', () => {
    const asking = { ...agent('builder', 'waiting_input', at('11:50:00')), last_output: 'step 3 of 5' };
    const question = message('m', { content: 'Which color?\n1. Blue\n2. Gray', created_at: at('11:50:01') });
    const given = { agents: [asking], questions: new Map([['builder', question]]) };
    const [need] = find(given);
    expect(need).toMatchObject({ kind: 'waiting_input', question: { id: 'm' } });
    expect(need && needReason(need, 0)).toBe('Needs input: Which color? 1. Blue 2. Gray');
    const dismissed = new Set([answeredKey(agentKey('waiting_input', asking), asking)]);
    const [answered] = find({ ...given, dismissed });
    expect(answered && needReason(answered, Number.NaN)).toContain('Which color? 1. Blue 2. Gray');
    for (const gone of [
      { ...asking, last_output: 'Which door?' },
      { ...asking, status: 'working' as const },
      { ...asking, status_since: at('11:58:00'), last_progress_at: at('11:58:00') },
    ])
      expect(find({ ...given, agents: [gone] }).some((need) => 'question' in need && need.question)).toBe(false);
  });

  test('are two rows if the message says something else, whenever it came', () => {
    for (const created_at of [at('11:50:01'), at('11:58:00')]) {
      const other = message('m', { content: 'The tests took 3 minutes', created_at });
      const needs = find({ agents: [waiting], mail: [other] });
      expect(needs).toMatchObject([
        { kind: 'waiting_input', isAnswered: false },
        { kind: 'mail', asker: undefined },
      ]);
      expect(needs.map((need) => needReason(need, 0))).toEqual([
        'Needs input: Which color?',
        'Message: The tests took 3 minutes',
      ]);
    }
  });

  test('are a row for its question and one for a message that follows it', () => {
    const question = message('m1', { content: 'Which color?', created_at: at('11:50:01') });
    const other = message('m2', { content: 'The tests took 3 minutes', created_at: at('11:50:03') });
    expect(find({ agents: [waiting], mail: [question, other] })).toMatchObject([
      { key: 'mail m1', asker: { kind: 'waiting_input' } },
      { key: 'mail m2', asker: undefined },
    ]);
    const silentAsker = { ...waiting, last_output: null };
    expect(find({ agents: [silentAsker], mail: [question, other] })).toMatchObject([
      { key: 'mail m1', asker: { kind: 'waiting_input' } },
      { key: 'mail m2', asker: undefined },
    ]);
  });

  test('are no row if the agent was dismissed and its message arrives later', () => {
    const dismissed = new Set([dismissedKey(agentKey('waiting_input', waiting), waiting)]);
    const late = message('m', { content: 'Which color?', created_at: at('11:50:03') });
    const other = message('o', { content: 'The tests took 3 minutes', created_at: at('11:50:03') });
    expect(keysOf({ agents: [waiting], mail: [late, other], dismissed })).toEqual(['mail o']);
    const tired = { ...waiting, last_output: 'Waiting for an answer' };
    const dismissedTired = new Set([dismissedKey(agentKey('waiting_input', tired), tired)]);
    expect(keysOf({ agents: [tired], mail: [late], dismissed: dismissedTired })).toEqual(['mail m']);
  });

  test('are two rows if the output is only a part of a word of the message', () => {
    const other = message('m', { content: 'The notebook is done', created_at: at('11:58:00') });
    expect(keysOf({ agents: [{ ...waiting, last_output: 'Book?' }], mail: [other] })).toHaveLength(2);
  });

  test('are one row if its question is in the message alone', () => {
    const late = message('m', { created_at: at('11:59:00') });
    expect(keysOf({ agents: [{ ...waiting, last_output: null }], mail: [late] })).toEqual(['mail m']);
  });

  test('with the time since it began to wait, or since it asked again after an answer', () => {
    const again = { ...waiting, last_progress_at: at('11:55:00'), last_output: 'And the door?' };
    expect(find({ agents: [again] })).toMatchObject([{ since: at('11:50:00') }]);
    const dismissed = new Set([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    expect(find({ agents: [again], dismissed })).toMatchObject([{ since: at('11:55:00'), isAnswered: false }]);
  });
});

describe('an agent that runs two tasks', () => {
  const [older, newer] = [
    runs({ task_id: 'a', content: 'Paint the wall', started_at: at('11:40:00') }),
    runs({ task_id: 'b', content: 'Mow the lawn', started_at: at('11:45:00') }),
  ];

  test.each([
    ['by its ID', 'a', older],
    ['by its title', 'Paint the wall', older],
    ['not at all', null, newer],
    ['by another name', 'Housework', newer],
  ] as const)('is about the one that it reports %s, or else the one that it started last', (_, task, expected) => {
    for (const tasks of [
      [older, newer],
      [newer, older],
    ]) {
      const [need] = find({ agents: [{ ...waiting, task }], tasks });
      expect(need).toMatchObject({ kind: 'waiting_input', task: { task_id: expected.task_id } });
      expect(need && needSubject(need)).toBe(task === 'Housework' ? 'Housework' : expected.content);
    }
  });
});

describe('a message about a task', () => {
  const about = message('m', { in_reply_to: 'task_a', created_at: at('11:46:00') });
  const later = runs({ task_id: 'task_b', content: 'Mow the lawn', started_at: at('11:45:00') });

  test.each([
    ['that has ended', 'replied', true],
    ['that runs', 'running', false],
  ] as const)('%s is about that one, whatever its agent does now', (_, status, hasEnded) => {
    const named = runs({ task_id: 'task_a', status, completed_at: hasEnded ? at('11:46:30') : null });
    const [need] = find({ mail: [about], tasks: [later, named], agents: [agent('builder', 'working')] });
    expect(need).toMatchObject({ task: { task_id: 'task_a' } });
    expect(need && needReason(need, 0).startsWith('Its task has ended')).toBe(hasEnded);
  });

  test('that is not known is about no other', () => {
    const [need] = find({ mail: [about], tasks: [later], agents: [agent('builder', 'working')] });
    expect(need).toMatchObject({ kind: 'mail', task: undefined });
  });
});

describe('what an agent asks', () => {
  test('is the line with the question, if the first has none', () => {
    const long = message('m', {
      content: 'I compared the queues.\n\n- one\n- two\n\n**Which one do I take?** I wait.',
    });
    const [need] = find({ mail: [long] });
    expect(need && needReason(need, 0)).toBe('Message: Which one do I take? I wait.');
  });

  test('is not the title of its task', () => {
    const [need] = find({
      agents: [{ ...waiting, last_output: null }],
      tasks: [runs({ content: 'Sort the backlog' })],
    });
    expect(need && [needReason(need, 0), needSubject(need)]).toEqual(['Needs input', 'Sort the backlog']);
  });
});

describe('an agent that asked and went offline', () => {
  test.each(['waiting_input', 'blocked', 'error'] as const)('is still in the list when it was %s', (last_status) => {
    expect(find({ agents: [{ ...silent, last_status }] })).toMatchObject([
      { kind: last_status, since: at('11:50:00') },
    ]);
  });

  test.each(['working', 'idle', undefined] as const)('is not in the list when it was %s', (last_status) => {
    const { last_status: _, ...rest } = silent;
    expect(find({ agents: [last_status === undefined ? rest : { ...rest, last_status }] })).toEqual([]);
  });

  test('is in the list for a week', () => {
    const now = known({}).now;
    expect(haltedStatus({ ...silent, last_seen_at: '2026-02-22 12:00:01' }, now)).toBe('waiting_input');
    expect(haltedStatus({ ...silent, last_seen_at: '2026-02-22 12:00:00' }, now)).toBeUndefined();
  });

  test('is one row with its task, which says what it asked', () => {
    const [need, ...others] = find({ agents: [silent], tasks: [runs()] });
    expect(others).toEqual([]);
    expect(need).toMatchObject({
      key: 'agent waiting_input builder',
      acts: ['answer', 'reassign', 'cancel', 'dismiss'],
    });
    expect(need && needReason(need, 0)).toBe('Needs input · Offline: Which color?');
  });

  test('does not say twice that it reported an error', () => {
    const failing = { ...silent, last_status: 'error', last_output: 'Error: no space left' } as const;
    const [need] = find({ agents: [failing] });
    expect(need && needReason(need, 0)).toBe('Error: no space left · Offline');
  });

  test('says since when it works no more, and on what, if it was lost', () => {
    const [need] = find({ agents: [{ ...lost(), task: 'Paint the fence' }] });
    expect(need && needReason(need, Date.parse('2026-03-01T12:00:00Z'))).toBe(
      'No progress for 20m · Offline: Paint the fence',
    );
    expect(need && needTitle(need)).toBe('a');
    const key = need?.key ?? '';
    const dismissed = new Set([answeredKey(key, { ...lost(), task: 'Paint the fence' })]);
    const [written] = find({ agents: [{ ...lost(), task: 'Paint the fence' }], dismissed });
    expect(written && needReason(written, Date.parse('2026-03-01T12:00:00Z'))).toMatch(
      /^You wrote .* ago · No progress/,
    );
    expect(need && needSubject(need)).toBe('');
  });

  test('is one row with its question', () => {
    const [need, ...others] = find({ agents: [silent], mail: [message('m', { created_at: at('11:50:01') })] });
    expect(others).toEqual([]);
    expect(need && needReason(need, 0)).toBe('Needs input · Offline: Which color?');
  });

  test('stays answered, and also when it is back with the same report', () => {
    const dismissed = new Set([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    expect(find({ agents: [silent], dismissed })).toMatchObject([{ isAnswered: true }]);
    const back = { ...waiting, status_since: at('12:10:00') };
    expect(find({ agents: [back], dismissed })).toMatchObject([{ isAnswered: true }]);
  });

  test('is not answered by the answer to the same question before', () => {
    const dismissed = new Set([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    const again = { ...silent, last_progress_at: at('11:58:00') };
    expect(find({ agents: [again], dismissed })).toMatchObject([{ isAnswered: false }]);
  });
});

describe('a task that was fetched but not started', () => {
  const fetched = task('t', { delivered_at: at('11:30:00'), fetched_at: at('11:31:00') });

  test.each([
    ['went offline', agent('builder', 'offline', at('11:59:50')), ['abandoned']],
    ['has been idle for a minute', agent('builder', 'idle', at('11:59:00')), ['abandoned']],
    ['has just become idle', agent('builder', 'idle', at('11:59:01')), []],
    ['works on something else', agent('builder', 'working'), []],
  ] as const)('by an agent that %s', (_, holder, kinds) => {
    expect(find({ agents: [holder], tasks: [fetched] }).map(({ kind }) => kind)).toEqual(kinds);
  });

  test('just now, by an idle agent, is not abandoned', () => {
    const holder = agent('builder', 'idle', at('11:00:00'));
    expect(find({ agents: [holder], tasks: [{ ...fetched, fetched_at: at('11:59:30') }] })).toEqual([]);
  });

  test('says when it expires and for how long nobody has worked on it, and its agent can be asked', () => {
    const idle = agent('builder', 'idle', at('11:00:00'));
    setAgents([idle]);
    const [need] = find({ agents: [idle], tasks: [{ ...fetched, expires_at: at('12:00:26') }] });
    expect(need).toMatchObject({ since: at('11:31:00'), acts: ['answer', 'reassign', 'cancel', 'dismiss'] });
    expect(need && needReason(need, known({}).now)).toMatch(/^Fetched, but not started\. .* Expires in 26s\.$/);
  });
});

describe('several tasks of one agent', () => {
  const waitingTask = (id: string, expires: string) =>
    task(id, { delivered_at: at('11:30:00'), expires_at: at(expires), content: id });

  test('that nobody has fetched are one row, with what its agent does and when the first expires', () => {
    setAgents([agent('builder', 'working')]);
    const tasks = [waitingTask('a', '18:00:00'), waitingTask('b', '13:00:00')];
    const [need, ...others] = find({ agents: [agent('builder', 'working')], tasks });
    expect(others).toEqual([]);
    expect(need).toMatchObject({ kind: 'unfetched', acts: ['reassign', 'cancel', 'dismiss'] });
    expect(need && needTitle(need)).toBe('builder');
    expect(need && needReason(need, known({}).now)).toBe(
      '2 tasks: Waiting for 30m, expires in 1h. builder is working.',
    );
    expect(find({ tasks, dismissed: new Set(['unfetched a 1']) })).toMatchObject([{ task: { task_id: 'b' } }]);
  });

  test('that it abandoned are one row, and those of another agent are another', () => {
    const holders = ['builder', 'tester'].map((alias) => agent(alias, 'offline'));
    setAgents(holders);
    const tasks = [runs(), runs({ task_id: 'u' }), runs({ task_id: 'v', to_name: 'tester' })];
    const needs = find({ agents: holders, tasks });
    expect(needs.map((need) => 'tasks' in need && need.tasks.length)).toEqual([2, 1]);
    expect(needs[0] && needReason(needs[0], known({}).now)).toMatch(/^2 tasks: builder is offline/);
  });

  test('that failed or expired say what the newest was, and why it failed', () => {
    const settled = (id: string, status: 'failed' | 'expired', result: string | null) =>
      task(id, { status, result, completed_at: NOW, created_at: at(`09:00:0${id}`), content: `Task ${id}` });
    const reasonOf = (status: 'failed' | 'expired', result: string | null) => {
      const [need] = find({ tasks: [settled('1', status, result), settled('2', status, result)] });
      return need && needReason(need, 0);
    };
    expect(reasonOf('failed', 'No paint\nleft')).toBe('2 failures: Task 2 · No paint left');
    expect(reasonOf('expired', null)).toBe('2 tasks · Expired: Task 2');
  });

  test('that it has started and those that it has not are two rows, each with the names of its tasks', () => {
    const holder = agent('builder', 'offline');
    setAgents([holder]);
    const fetched = { delivered_at: at('11:30:00'), fetched_at: at('11:31:00') };
    const waitingTasks = ['a', 'b'].map((id) => task(id, { ...fetched, content: `Task ${id}` }));
    const needs = find({ agents: [holder], tasks: [runs(), ...waitingTasks] });
    expect(needs.map((need) => needReason(need, known({}).now))).toEqual([
      expect.stringMatching(/^2 tasks: Fetched, but not started\./),
      expect.stringMatching(/^builder is offline, .* not working on the task\./),
    ]);
    expect(needs[0] && needSubject(needs[0])).toBe('Task a · Task b');
    expect(needs[0]?.acts).toEqual(['reassign', 'answer', 'cancel', 'dismiss']);
  });

  test('about to expire keep the reason and the advice', () => {
    setAgents([agent('builder', 'offline')]);
    const [need] = find({ tasks: [waitingTask('a', '12:00:30')], agents: [agent('builder', 'offline')] });
    expect(need && needReason(need, known({}).now)).toMatch(
      /^Expires in 30s\. Sent to builder\. builder is offline, .* reassign the task\.$/,
    );
  });

  test('take in a row of one of them, which says so while it is held', () => {
    const [one] = find({ tasks: [waitingTask('a', '18:00:00')] });
    const all = find({ tasks: [waitingTask('a', '18:00:00'), waitingTask('b', '13:00:00')] });
    expect(one && needOutcome(one, all)).toEqual({ text: 'Grouped with other tasks', icon: 'tasks' });
  });
});

describe('a message without a reference', () => {
  const sent = message('m', { created_at: at('11:45:00') });

  test('names the task that its sender had started before', () => {
    const [need] = find({
      mail: [sent],
      tasks: [runs(), runs({ task_id: 'u', content: 'Mow', started_at: at('11:44:00') })],
    });
    expect(need && needSubject(need)).toBe('Mow');
  });

  test('names no task that its sender started later', () => {
    const [need] = find({ mail: [sent], tasks: [runs({ started_at: at('11:46:00') })] });
    expect(need && needSubject(need)).toBe('');
  });
});

describe('the row of an agent whose task was taken away', () => {
  test.each([
    ['cancelled', { status: 'cancelled' as const }, { text: 'Cancelled', icon: 'cancelled' }],
    ['reassigned', { to_name: 'grace', status: 'delivered' as const }, { text: 'Reassigned to grace.', icon: 'arrow' }],
  ])('says that it was %s', (_, changes, outcome) => {
    const question = message('m', { created_at: at('11:50:00') });
    for (const mail of [[], [question]]) {
      rememberTasks([runs()]);
      const [need] = find({ agents: [waiting], tasks: [runs()], mail });
      rememberTasks([runs({ ...changes, completed_at: NOW, attempt: 2 })]);
      expect(need && needOutcome(need, [])).toEqual(outcome);
    }
  });
});
