// When an agent that waits counts as answered, and for how long.
import { beforeAll, describe, expect, test } from 'vitest';
import { loadLanguage } from '../../../console/i18n/language.ts';
import { agentKey, answeredKey, writtenKey } from '../../../console/needs-you/agent-needs.ts';
import { lastAnswer } from '../../../console/needs-you/halted-agents.ts';
import { itemKeys } from '../../../console/needs-you/need.ts';
import { needReason } from '../../../console/needs-you/need-text.ts';
import { agent, at, find, known, message, task } from './records.ts';

beforeAll(loadLanguage);

const waiting = { ...agent('builder', 'waiting_input', at('11:50:00')), last_output: 'Which color?' };

describe('an answer that was sent elsewhere', () => {
  const sent = (changes: object) =>
    message('s', { alias: 'builder', from_session: 'ada', created_at: at('11:51:00'), ...changes });
  const question = message('q', { content: 'Which color?' });
  const other = message('o', { content: 'The tests took 3 minutes' });
  const answered = new Map([question, other].map((each) => [each.id, each]));

  test.each([
    ['a message after the question', {}, true],
    ['a message from the second of the question', { created_at: at('11:50:00') }, false],
    ['a message before the question', { created_at: at('11:49:00') }, false],
    ['a message to another agent', { alias: 'tester' }, false],
    ['a reply to the question', { type: 'reply', in_reply_to: 'q' }, true],
    ['a reply to another message', { type: 'reply', in_reply_to: 'o' }, false],
    ['a reply to a message that cannot be loaded', { type: 'reply', in_reply_to: 'x' }, false],
    ['a message that quotes the question', { content: '> Which color?\n\nBlue' }, true],
    ['a message that quotes an earlier question', { content: '> Which door?\n\nThe left' }, false],
    ['a message about the task', { in_reply_to: 'task_1' }, true],
  ])('is %s: %j', (_, changes, expected) => {
    expect(lastAnswer(waiting, [sent(changes)], answered) !== undefined).toBe(expected);
  });

  test('is a reply to the question that it sent when it began to wait', () => {
    const tired = { ...waiting, last_output: 'Waiting for an answer' };
    const reply = sent({ type: 'reply', in_reply_to: 'q' });
    for (const [created_at, expected] of [
      [at('11:50:30'), true],
      [at('11:40:00'), false],
    ] as const)
      expect(lastAnswer(tired, [reply], new Map([['q', { ...question, created_at }]])) !== undefined).toBe(expected);
  });
});

describe('an agent that was answered', () => {
  const mark = answeredKey(agentKey('waiting_input', waiting), waiting);
  const { now } = known({});
  const answered = (seconds: number) =>
    find({ agents: [waiting], dismissed: new Set([mark]), answeredAt: { [mark]: now - seconds * 1_000 } });

  test('needs nobody for two minutes, and then again if it still waits', () => {
    const [fresh] = answered(119);
    expect(fresh).toMatchObject({ isAnswered: true });
    expect(fresh && [itemKeys(fresh), needReason(fresh, now)]).toEqual([[], 'Answered · Needs input: Which color?']);
    const [stale] = answered(120);
    expect(stale).toMatchObject({ isAnswered: false, rank: 0, since: at('11:50:00') });
    expect(stale && [itemKeys(stale), needReason(stale, now)]).toEqual([
      ['agent waiting_input builder'],
      'Answered 2m ago · Needs input: Which color?',
    ]);
  });

  test('and went offline before it is one row, which its task joins after two minutes', () => {
    const silent = {
      ...waiting,
      status: 'offline' as const,
      last_status: waiting.status,
      status_since: at('11:51:00'),
    };
    const painting = task('t', { status: 'running', started_at: at('11:40:00'), delivered_at: at('11:40:00') });
    const kinds = (seconds: number, changes = {}) =>
      find({
        agents: [silent],
        tasks: [{ ...painting, ...changes }],
        dismissed: new Set([mark]),
        answeredAt: { [mark]: now - seconds * 1_000 },
      }).map(({ kind, ...need }) => [kind, 'isAnswered' in need && need.isAnswered]);
    expect(kinds(119)).toEqual([['waiting_input', true]]);
    expect(kinds(120)).toEqual([['waiting_input', false]]);
    expect(kinds(119, { to_name: 'tester' }), 'a task of another agent').toHaveLength(1);
    expect(kinds(119, { status: 'failed', completed_at: at('11:59:00') })).toContainEqual(['failed', false]);
  });
});

test('a task whose agent asks nothing says when the person wrote about it, and still needs somebody', () => {
  const left = task('t', { status: 'running', started_at: at('11:40:00'), delivered_at: at('11:40:00') });
  const silent = agent('builder', 'offline', at('11:51:00'));
  const { now } = known({});
  const of = (answeredAt: Record<string, number>) => find({ agents: [silent], tasks: [left], answeredAt });
  const [before] = of({});
  const [after] = of({ [writtenKey('abandoned 2 running builder')]: now - 120_000 });
  if (before === undefined || after === undefined) throw new Error('both need somebody');
  expect([after.key, itemKeys(after)]).toEqual(['abandoned 2 running builder', itemKeys(before)]);
  expect(needReason(before, now)).not.toMatch('You wrote');
  expect(needReason(after, now)).toBe(`You wrote 2m ago · ${needReason(before, now)}`);
});
