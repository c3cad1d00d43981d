import { describe, expect, test } from 'vitest';
import { agentKey, answeredKey, dismissedKey, isOver } from '../../../console/needs-you/agent-needs.ts';
import { itemKeys, type Known, NEED_ACT_KEYS } from '../../../console/needs-you/need.ts';
import { dismissalKeys, findDismissed } from '../../../console/needs-you/needs.ts';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { agent, at, find, keysOf, known, lost, message, NOW, running, stuck, task } from './records.ts';

const dismissedAgent = (status: 'blocked') => {
  const dismissed = agent('a', status);
  return new Set([dismissedKey(agentKey('blocked', dismissed), dismissed)]);
};
const working = () => agent('builder', 'working');
const started = (time: string, id = 't') =>
  task(id, { status: 'running', delivered_at: at(time), started_at: at(time) });

const ended = (time: string, status: TaskRecord['status']) =>
  task('t', { status, to_name: 'a', started_at: at('11:30:00'), completed_at: at(time) });

describe('what was dismissed', () => {
  const [blocked, waiting, question] = [agent('a', 'blocked'), agent('b', 'waiting_input'), message('m')];
  const unfetched = task('t', { delivered_at: at('01:00:00'), expires_at: at('23:00:00') });
  const failed = task('f', { status: 'failed', completed_at: at('11:00:00') });
  const justFailed = { ...failed, completed_at: at('11:00:01') };

  test.each<[string, Partial<Known>, string[], string[]]>([
    ['nothing', { agents: [blocked] }, [], []],
    ['an agent', { agents: [blocked, waiting] }, [dismissedKey('agent blocked a', blocked)], ['agent blocked a']],
    [
      'an agent that has recovered',
      { agents: [agent('a', 'working')] },
      [dismissedKey('agent blocked a', blocked)],
      [],
    ],
    [
      'an agent that has asked something else since',
      { agents: [{ ...blocked, last_output: 'And this?' }] },
      [dismissedKey('agent blocked a', blocked)],
      [],
    ],
    ['an answer', { agents: [blocked] }, [answeredKey('agent blocked a', blocked)], []],
    ['mail', { mail: [question] }, ['mail m'], ['mail m']],
    ['a task that nobody fetches', { tasks: [unfetched] }, ['unfetched t 1'], ['unfetched 6 delivered builder']],
    ['a failure of the last hour', { tasks: [justFailed] }, ['failed f 1'], ['failed f 1']],
    ['an older failure, which stays in the list of tasks', { tasks: [failed] }, ['failed f 1'], []],
  ])('can be found again: %s', (_, given, dismissed, found) => {
    expect(findDismissed(known({ ...given, dismissed: new Set(dismissed) })).map(({ key }) => key)).toEqual(found);
  });

  test('of a question with its agent, both keys lead back to it', () => {
    const builder = agent('builder', 'waiting_input', at('11:50:00'));
    const asking = {
      agents: [builder],
      mail: [message('m', { created_at: at('11:50:00') })],
    };
    const dismissed = new Set(['mail m', dismissedKey('agent waiting_input builder', builder)]);
    const [found] = findDismissed(known({ ...asking, dismissed }));
    expect(found && dismissalKeys(found)).toEqual(expect.arrayContaining([...dismissed]));
  });
});

describe('what needs a person', () => {
  test('is in order of urgency, oldest first within a rank', () => {
    const needs = find({
      agents: [
        agent('erring', 'error', at('11:00:00')),
        agent('later', 'waiting_input', at('11:50:00')),
        agent('stuck', 'working', at('11:55:00'), at('11:30:00')),
        agent('halted', 'blocked', at('10:00:00')),
        agent('earlier', 'waiting_input', at('11:40:00')),
      ],
      mail: [
        message('m2', { created_at: at('09:30:00') }),
        message('m1', { created_at: at('09:00:00') }),
        message('r1', { created_at: at('01:00:00'), type: 'reply' }),
      ],
      tasks: [
        task('unfetched', { delivered_at: at('01:00:00'), expires_at: at('23:00:00') }),
        task('later', { delivered_at: at('11:00:00'), expires_at: at('12:02:00'), fetched_at: at('11:00:01') }),
        task('soonest', { delivered_at: at('11:10:00'), expires_at: at('12:01:00'), fetched_at: at('11:10:01') }),
        task('expired', { status: 'expired', completed_at: at('08:00:00') }),
        task('failed', { status: 'failed', completed_at: at('07:00:00') }),
      ],
    });
    expect(needs.map(({ kind, key }) => `${kind}: ${key.split(' ').slice(1).join(' ')}`)).toEqual([
      'waiting_input: waiting_input earlier',
      'waiting_input: waiting_input later',
      'blocked: blocked halted',
      'error: error erring',
      'stuck: stuck 2026-03-01 11:30:00',
      'mail: m1',
      'mail: m2',
      'expiring: soonest 1',
      'expiring: later 1',
      'failed: failed 1',
      'expired: expired 1',
      'unfetched: 6 delivered builder',
      'results: ',
    ]);
  });

  test('a question whose task has ended since comes after the others', () => {
    const mail = [
      message('ended', { created_at: at('11:45:00') }),
      message('open', { from_session: 'other', created_at: at('11:50:00') }),
    ];
    const settled = task('t', { status: 'replied', started_at: at('11:40:00'), completed_at: at('11:46:00') });
    expect(keysOf({ mail, tasks: [settled] })).toEqual(['mail open', 'mail ended']);
    expect(keysOf({ mail, tasks: [{ ...settled, completed_at: at('11:44:00') }] })).toEqual([
      'mail ended',
      'mail open',
    ]);
  });

  test.each<[string, Partial<Known>, string[]]>([
    [
      'an agent that works, is idle or is offline',
      { agents: (['working', 'idle', 'offline'] as const).map((status) => agent(status, status)) },
      [],
    ],
    ['an agent that works for ten minutes without progress', { agents: [stuck()] }, ['stuck']],
    ['an agent that made progress since', { agents: [agent('a', 'working', NOW, at('11:50:01'))] }, []],
    ['an agent that settled a task since', { agents: [stuck()], progress: new Map([['a', at('11:55:00')]]) }, []],
    [
      'a stuck agent that was dismissed',
      { agents: [stuck()], dismissed: new Set([dismissedKey(`stuck a ${at('11:50:00')}`, stuck())]) },
      [],
    ],
    [
      'an agent that is stuck again after it was dismissed',
      { agents: [stuck()], dismissed: new Set([dismissedKey(`stuck a ${at('11:20:00')}`, stuck())]) },
      ['stuck'],
    ],
    ['an agent that went silent while it worked', { agents: [lost()] }, ['stuck']],
    ['an agent that went silent a day ago', { agents: [{ ...lost(), last_seen_at: '2026-02-28 11:59:59' }] }, []],
    ['an agent that reported itself that it is offline', { agents: [{ ...lost(), status_since: at('11:40:00') }] }, []],
    ['an idle agent that went silent', { agents: [{ ...lost(), last_status: 'idle' }] }, []],
    [
      'an agent that went silent with a task, which is listed itself',
      { agents: [lost()], tasks: [task('t', { status: 'running', to_name: 'a', started_at: at('11:30:00') })] },
      ['abandoned'],
    ],
    [
      'an agent whose task was taken from it since it went silent',
      { agents: [lost()], tasks: [ended('11:55:00', 'cancelled')] },
      [],
    ],
    [
      'an agent whose task was given to another one since it went silent',
      { agents: [{ ...lost(), task: 'Build it' }], tasks: [task('t', { to_name: 'b', content: 'Build it' })] },
      [],
    ],
    [
      'an agent that went silent, and a task that was sent to it since',
      { agents: [lost()], tasks: [task('t', { to_name: 'a', delivered_at: at('11:55:00') })] },
      ['stuck', 'unfetched'],
    ],
    [
      'an agent that went silent with something else after its task',
      { agents: [lost()], tasks: [ended('11:39:59', 'replied')] },
      ['stuck'],
    ],
    [
      'a lost agent that was dismissed',
      { agents: [lost()], dismissed: new Set([dismissedKey(`stuck a ${at('11:40:00')}`, lost())]) },
      [],
    ],
    [
      'a running task whose agent has been idle for a minute',
      { agents: [agent('builder', 'idle', at('11:59:00'))], tasks: [started('11:40:00')] },
      ['abandoned'],
    ],
    [
      'a running task whose agent has just become idle',
      { agents: [agent('builder', 'idle', at('11:59:01'))], tasks: [started('11:40:00')] },
      [],
    ],
    [
      'a task that was started just now, by an agent that has not reported since',
      { agents: [agent('builder', 'idle', at('11:00:00'))], tasks: [started('11:59:30')] },
      [],
    ],
    [
      'a running task whose agent is offline',
      { agents: [agent('builder', 'offline')], tasks: [started('11:59:30')] },
      ['abandoned'],
    ],
    ['a running task of an agent that works', { agents: [working()], tasks: [started('11:20:00')] }, []],
    [
      'a task that runs for ten minutes, while its agent has started another',
      { agents: [working()], tasks: [started('11:50:00'), started('11:55:00', 'u')] },
      ['abandoned'],
    ],
    [
      'a task that its agent left for another two minutes ago',
      { agents: [working()], tasks: [started('11:56:00'), started('11:58:00', 'u')] },
      ['abandoned'],
    ],
    [
      'a task that its agent left for another less than two minutes ago',
      { agents: [working()], tasks: [started('11:56:00'), started('11:58:01', 'u')] },
      [],
    ],
    [
      'tasks that an agent started together, as when it takes all of its mail',
      { agents: [working()], tasks: [started('11:55:00'), started('11:55:59', 'u')] },
      [],
    ],
    [
      'a task that its agent reports, although it has started another',
      { agents: [{ ...working(), task: 't' }], tasks: [started('11:40:00'), started('11:55:00', 'u')] },
      [],
    ],
    [
      'one that was dismissed',
      {
        agents: [agent('builder', 'offline')],
        tasks: [started('11:40:00')],
        dismissed: new Set(['abandoned t 1']),
      },
      [],
    ],
    [
      'a question whose task goes on',
      { mail: [message('m', { created_at: at('11:45:00') })], agents: [working()], tasks: [started('11:40:00')] },
      ['mail'],
    ],
    ['an agent that waits for input', { agents: [agent('a', 'waiting_input')] }, ['waiting_input']],
    ['a message to the person', { mail: [message('m')] }, ['mail']],
    ['a result for hub', { mail: [message('m', { type: 'reply', alias: 'hub' })] }, ['results']],
    [
      'a reply that asks',
      { mail: [message('m', { type: 'reply', content: 'No limit given.\n\n**Which one?**' })] },
      ['mail'],
    ],
    [
      'a reply that has asked',
      { mail: [message('m', { type: 'reply', content: 'Which one? The first.' })] },
      ['results'],
    ],
    ['a reply that reports a failure', { mail: [message('m', { type: 'reply', status: 'failed' })] }, ['mail']],
    [
      'a reply that reports the failure of a task that was sent again',
      { mail: [message('m', { type: 'reply', status: 'failed', in_reply_to: 't' })], tasks: [task('t')] },
      [],
    ],
    [
      'a reply that reports the failure of an earlier attempt of a task that has succeeded since',
      {
        mail: [message('m', { type: 'reply', status: 'failed', in_reply_to: 't' })],
        tasks: [task('t', { status: 'replied', completed_at: NOW, attempt: 2 })],
      },
      [],
    ],
    ['a message that was read', { mail: [message('m', { acked_at: NOW })] }, []],
    ['a message to an agent that has the name of the person', { mail: [message('m')], inboxes: ['hub'] }, []],
    ['a message to somebody else', { mail: [message('m', { alias: 'grace' })] }, []],
    ['an own message', { mail: [message('m', { alias: 'hub', from_session: 'ada' })] }, []],
    [
      'a broadcast, a cancellation or the message of a task',
      { mail: (['broadcast', 'cancel', 'task'] as const).map((type) => message(type, { type })) },
      [],
    ],
    [
      'a task that nobody fetched for two minutes',
      { tasks: [task('t', { delivered_at: at('11:57:59') })] },
      ['unfetched'],
    ],
    [
      'a task that waits for ten minutes for an agent that works on another one',
      { tasks: [task('t', { delivered_at: at('11:49:59') })], agents: [agent('builder', 'working')] },
      ['unfetched'],
    ],
    [
      'a task that waits for an agent that has started another one within ten minutes',
      {
        tasks: [
          task('t', { delivered_at: at('10:00:00'), expires_at: at('23:00:00') }),
          task('s', { status: 'replied', started_at: at('11:50:01'), completed_at: at('11:51:00') }),
        ],
        agents: [agent('builder', 'working')],
      },
      [],
    ],
    [
      'a task that waits for less than ten minutes for an agent that waits for a person',
      { tasks: [task('t', { delivered_at: at('11:50:00') })], agents: [agent('builder', 'blocked')] },
      ['blocked'],
    ],
    [
      'a task that waits for two minutes for an agent that is idle',
      { tasks: [task('t', { delivered_at: at('11:57:59') })], agents: [agent('builder', 'idle', at('11:59:00'))] },
      ['unfetched'],
    ],
    [
      'a task that waits for two minutes for an agent that is idle between two others',
      { tasks: [task('t', { delivered_at: at('11:57:59') })], agents: [agent('builder', 'idle', at('11:59:01'))] },
      [],
    ],
    [
      'a task that waits for less for an agent that works on another one',
      { tasks: [task('t', { delivered_at: at('11:50:00') })], agents: [agent('builder', 'working')] },
      [],
    ],
    ['a task sent two minutes ago', { tasks: [task('t', { delivered_at: at('11:58:00') })] }, []],
    [
      'a task that was fetched',
      { tasks: [task('t', { delivered_at: at('10:00:00'), fetched_at: at('10:00:01') })] },
      [],
    ],
    ['a running task', { tasks: [task('t', { status: 'running', delivered_at: at('10:00:00') })] }, []],
    ['a task for the person', { tasks: [task('t', { to_name: 'ada' })] }, ['asked']],
    ['a task with less than five minutes of an hour left', { tasks: [running('11:04:59', '12:04:59')] }, ['expiring']],
    ['a task with five minutes of an hour left', { tasks: [running('11:05:00', '12:05:00')] }, []],
    ['a task with less than two minutes of ten left', { tasks: [running('11:51:59', '12:01:59')] }, ['expiring']],
    ['a task with two minutes of ten left', { tasks: [running('11:52:00', '12:02:00')] }, []],
    [
      'a running task of an agent that is online',
      { tasks: [running('11:51:59', '12:01:59')], agents: [agent('builder', 'working')] },
      [],
    ],
    [
      'a running task of an agent that is offline',
      { tasks: [running('11:51:59', '12:01:59')], agents: [agent('builder', 'offline')] },
      ['expiring'],
    ],
    ['a task with less than a minute of two minutes left', { tasks: [running('11:58:59', '12:00:59')] }, ['expiring']],
    [
      'a task that was given to another agent with less than two minutes left, after a moment',
      { tasks: [task('t', { attempt: 2, delivered_at: at('11:59:39'), expires_at: at('12:01:14') })] },
      ['expiring'],
    ],
    [
      'a task that was just given to another agent',
      { tasks: [task('t', { attempt: 2, delivered_at: at('11:59:41'), expires_at: at('12:01:14') })] },
      [],
    ],
    ['a task with half of a minute left', { tasks: [running('11:59:30', '12:00:30')] }, []],
    ['a task with less than half of a minute left', { tasks: [running('11:59:29', '12:00:29')] }, ['expiring']],
    [
      'a running task beyond its time, which continues while its agent is online',
      { tasks: [running('11:00:00', '11:59:59')], agents: [agent('builder', 'working')] },
      [],
    ],
    [
      'a task to nobody that has ever reported',
      { tasks: [task('t', { delivered_at: at('11:59:39') })], areAllAgentsKnown: true },
      ['unfetched'],
    ],
    [
      'a task to nobody, just sent',
      { tasks: [task('t', { delivered_at: at('11:59:41') })], areAllAgentsKnown: true },
      [],
    ],
    ['a task to nobody that is known yet', { tasks: [task('t', { delivered_at: at('11:59:00') })] }, []],
    [
      'a task to an agent that has not fetched it yet',
      {
        tasks: [task('t', { delivered_at: at('11:59:00') })],
        agents: [agent('builder', 'working')],
        areAllAgentsKnown: true,
      },
      [],
    ],
    ['a running task beyond its time', { tasks: [running('11:00:00', '11:59:59')] }, []],
    [
      'an own failure since the last visit',
      { tasks: [task('t', { status: 'failed', completed_at: at('06:00:01') })] },
      ['failed'],
    ],
    [
      'an own failure before the last visit',
      { tasks: [task('t', { status: 'failed', completed_at: at('06:00:00') })] },
      [],
    ],
    [
      'an expired task of hub',
      { tasks: [task('t', { status: 'expired', from_name: 'hub', completed_at: NOW })] },
      ['expired'],
    ],
    [
      'a failure of others since the last visit',
      { tasks: [task('t', { status: 'failed', from_name: 'worker', completed_at: NOW })] },
      ['failed'],
    ],
    [
      'a failure of others before the last visit',
      { tasks: [task('t', { status: 'failed', from_name: 'worker', completed_at: at('06:00:00') })] },
      [],
    ],
    [
      'a cancelled or replied task',
      { tasks: (['cancelled', 'replied'] as const).map((status) => task(status, { status, completed_at: NOW })) },
      [],
    ],
    ['a dismissed agent', { agents: [agent('a', 'blocked')], dismissed: dismissedAgent('blocked') }, []],
    [
      'an agent that says something else since it was dismissed',
      { agents: [{ ...agent('a', 'blocked'), last_output: 'And this?' }], dismissed: dismissedAgent('blocked') },
      ['blocked'],
    ],
    [
      'an agent dismissed in another state',
      { agents: [agent('a', 'error')], dismissed: dismissedAgent('blocked') },
      ['error'],
    ],
  ])('%s', (_, known, kinds) => expect(find(known).map(({ kind }) => kind)).toEqual(kinds));

  test('are three messages of a sender, or one group of more', () => {
    const mail = ['1', '2', '3'].map((n) => message(`m${n}`, { created_at: at(`09:00:0${n}`) }));
    expect(find({ mail }).map(({ key }) => key)).toEqual(['mail m1', 'mail m2', 'mail m3']);
    const more = [...mail, message('m0', { created_at: at('08:00:00') }), message('other', { from_session: 'tester' })];
    expect(find({ mail: more })).toMatchObject([
      {
        key: 'mail m0',
        since: at('08:00:00'),
        messages: [{ id: 'm0' }, { id: 'm1' }, { id: 'm2' }, { id: 'm3' }],
      },
      { key: 'mail other' },
    ]);
  });

  test('shows the oldest question of a group, or its newest reply', () => {
    const replies = ['1', '2', '3', '4'].map((n) =>
      message(`r${n}`, { type: 'reply', status: 'failed', created_at: at(`09:00:0${n}`) }),
    );
    const questions = ['5', '6'].map((n) => message(`m${n}`, { created_at: at(`09:00:0${n}`) }));
    expect(find({ mail: replies })).toMatchObject([{ shown: { id: 'r4' }, since: at('09:00:01') }]);
    expect(find({ mail: [...replies, ...questions] })).toMatchObject([
      { key: 'mail m5', shown: { id: 'm5' }, since: at('09:00:05') },
    ]);
  });

  test('shows the question of the current wait in a group, and that row is the one of the agent', () => {
    const waiting = agent('builder', 'waiting_input', at('11:50:00'));
    const tasks = [task('t', { status: 'running', started_at: at('11:40:00') })];
    const times = ['09:00:00', '09:00:01', '09:00:02', '11:45:00', '11:49:59'];
    const mail = times.map((time, n) => message(`m${n}`, { created_at: at(time) }));
    expect(find({ agents: [waiting], tasks, mail })).toMatchObject([
      { shown: { id: 'm4' }, since: at('11:49:59'), asker: { kind: 'waiting_input' } },
    ]);
    expect(find({ tasks, mail })).toMatchObject([{ shown: { id: 'm0' } }]);
  });

  test('is one row for an agent that waits for input and its question', () => {
    const waiting = agent('builder', 'waiting_input', at('11:50:00'));
    const task1 = task('t', { status: 'running', started_at: at('11:40:00') });
    const [before, since] = [
      message('m1', { created_at: at('11:30:00') }),
      message('m2', { created_at: at('11:49:59') }),
    ];
    const known = { agents: [waiting], tasks: [task1], mail: [before, since] };
    const found = find(known);
    expect(found).toMatchObject([
      {
        key: 'mail m2',
        shown: { id: 'm2' },
        asker: { kind: 'waiting_input' },
        acts: ['answer', 'reassign', 'cancel', 'dismiss'],
      },
      { key: 'mail m1', asker: undefined },
    ]);
    expect(keysOf({ ...known, mail: [before] })).toEqual(['agent waiting_input builder', 'mail m1']);
    const answered = new Set([answeredKey(agentKey('waiting_input', waiting), waiting)]);
    expect(keysOf({ ...known, mail: [since], dismissed: answered })).toEqual([
      'mail m2',
      'agent waiting_input builder',
    ]);
  });

  test('is not also a task that its agent holds', () => {
    const overdue = task('t', {
      status: 'running',
      to_name: 'a',
      delivered_at: at('10:00:00'),
      started_at: at('10:00:00'),
      expires_at: at('11:00:00'),
    });
    expect(keysOf({ agents: [agent('a', 'offline')], tasks: [overdue] })).toEqual(['abandoned 2 running a']);
    const blocked = agent('a', 'blocked');
    expect(keysOf({ agents: [blocked], tasks: [overdue] })).toEqual(['agent blocked a']);
    const dismissed = new Set([answeredKey(agentKey('blocked', blocked), blocked)]);
    expect(keysOf({ agents: [blocked], tasks: [overdue], dismissed })).toEqual(['agent blocked a']);
  });

  test('is one group for the failures of an agent, and own failures come first', () => {
    const failed = (id: string, time: string, changes: Partial<TaskRecord> = {}) =>
      task(id, { status: 'failed', completed_at: at(time), from_name: 'planner', ...changes });
    const tasks = [failed('t2', '11:02:00'), failed('t1', '11:01:00'), failed('t3', '11:03:00', { to_name: 'tester' })];
    const own = failed('t4', '11:04:00', { from_name: 'ada' });
    expect(find({ tasks: [...tasks, own] })).toMatchObject([
      { key: 'failed t4 1', acts: ['retry', 'reassign', 'dismiss'] },
      {
        since: at('11:01:00'),
        task: { task_id: 't2' },
        tasks: [{ task_id: 't1' }, {}],
        acts: ['retry', 'reassign', 'dismiss'],
      },
      { key: 'failed t3 1', acts: ['retry', 'reassign', 'dismiss'] },
    ]);
    expect(keysOf({ tasks, dismissed: new Set(['failed t1 1', 'failed t3 1']) })).toEqual(['failed t2 1']);
  });

  test('is one row last for all results, which counts for nothing', () => {
    const mail = ['r1', 'r2'].map((id) => message(id, { type: 'reply', from_session: id }));
    const blocked = agent('a', 'blocked');
    const dismissed = new Set([answeredKey(agentKey('blocked', blocked), blocked)]);
    const needs = find({ mail, agents: [blocked], dismissed });
    expect(needs).toMatchObject([{ isAnswered: true }, { kind: 'results', messages: [{ id: 'r1' }, { id: 'r2' }] }]);
    expect(needs.flatMap(itemKeys)).toEqual([]);
    expect(needs.at(-1)?.acts).toEqual(['dismiss']);
  });

  test('is an answered agent last, until it writes something else', () => {
    const blocked = { ...agent('a', 'blocked'), last_output: 'May I deploy?' };
    const dismissed = new Set([answeredKey(agentKey('blocked', blocked), blocked)]);
    const known = { mail: [message('m')], dismissed };
    const needs = find({ ...known, agents: [blocked] });
    expect(needs).toMatchObject([{ kind: 'mail' }, { kind: 'blocked', isAnswered: true }]);
    expect(needs.map(itemKeys)).toEqual([['mail m'], []]);
    expect(find({ ...known, agents: [{ ...blocked, last_output: 'May I deploy now?' }] })).toMatchObject([
      { kind: 'blocked', isAnswered: false },
      { kind: 'mail' },
    ]);
  });

  test('counts an answered agent again when it recovers and stops once more', () => {
    const blocked = agent('a', 'blocked');
    const dismissed = new Set([answeredKey(agentKey('blocked', blocked), blocked)]);
    const later = { ...blocked, status_since: at('23:59:59'), last_progress_at: at('23:59:59') };
    expect(find({ dismissed, agents: [blocked] })).toMatchObject([{ isAnswered: true }]);
    expect(find({ dismissed, agents: [later] })).toMatchObject([{ isAnswered: false }]);
  });

  test('forgets that an agent was dismissed when it recovers', () => {
    const [dismissed = ''] = dismissedAgent('blocked');
    expect(isOver(dismissed, [dismissed])).toBe(false);
    expect(isOver(dismissed, [])).toBe(true);
    expect(isOver('failed t 1', [])).toBe(false);
  });

  test('is a failed task once, with the reply that reports it', () => {
    const report = message('r', { type: 'reply', status: 'failed', in_reply_to: 't' });
    const failed = task('t', { status: 'failed', completed_at: NOW });
    expect(find({ mail: [report], tasks: [failed] })).toMatchObject([{ kind: 'failed', messages: [{ id: 'r' }] }]);
    expect(find({ mail: [report] })).toMatchObject([{ kind: 'mail' }]);
    expect(find({ mail: [report], tasks: [failed], dismissed: new Set(['failed t 1']) })).toEqual([]);
  });

  test('is an agent with its running task', () => {
    const own = task('t', { status: 'running', to_name: 'a', expires_at: at('23:00:00') });
    expect(
      find({ agents: [agent('a', 'blocked')], tasks: [task('x', { status: 'running', to_name: 'b' }), own] }),
    ).toMatchObject([{ kind: 'blocked', task: { task_id: 't' }, acts: ['answer', 'reassign', 'cancel', 'dismiss'] }]);
  });

  test('has a stable key, and another one for the next attempt', () => {
    const failed = (attempt: number) => task('t', { status: 'failed', completed_at: NOW, attempt });
    expect(keysOf({ tasks: [failed(1)] })).toEqual(keysOf({ tasks: [failed(1)], now: 0 }));
    expect(keysOf({ tasks: [failed(1)] })).not.toEqual(keysOf({ tasks: [failed(2)] }));
  });
});

describe('the acts', () => {
  const CASES: [string, Partial<Known>, string[]][] = [
    ['an agent without a task', { agents: [agent('a', 'waiting_input')] }, ['answer', 'dismiss']],
    ['a stuck agent without a task', { agents: [stuck()] }, ['answer', 'dismiss']],
    ['a message', { mail: [message('m')] }, ['answer', 'dismiss']],
    ['a task for the person', { tasks: [task('t', { to_name: 'ada' })] }, ['answer', 'reassign', 'cancel', 'dismiss']],
    [
      'a failed task',
      { tasks: [task('t', { status: 'failed', completed_at: NOW })] },
      ['retry', 'reassign', 'dismiss'],
    ],
    [
      'a running task about to expire, whose agent is offline,',
      { tasks: [running('11:00:00', '12:00:01')] },
      ['reassign', 'answer', 'cancel', 'dismiss'],
    ],
    [
      'a task that nobody fetched',
      { tasks: [task('t', { delivered_at: at('11:00:00') })] },
      ['reassign', 'cancel', 'dismiss'],
    ],
  ];

  test.each(CASES)('of %s fit it; a viewer may only dismiss it', (_, known, acts) => {
    const needs = find(known);
    expect(needs.map((need) => need.acts)).toEqual([acts]);
    expect(find({ ...known, mayWrite: false }).map((need) => need.acts)).toEqual([['dismiss']]);
    expect(find({ ...known, dismissed: new Set(needs.flatMap(dismissalKeys)) })).toEqual([]);
  });

  test('have a key each', () => {
    const keys = Object.values(NEED_ACT_KEYS);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
