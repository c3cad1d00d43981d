import { describe, expect, test } from 'vitest';
import type { MessageRecord } from '../../../console/live/api.ts';
import { joinPages, type MessageSide, mergePage, sidesOf } from '../../../console/messages/conversation.ts';
import { chatEntriesOf, mergeByTime } from '../../../console/messages/merge.ts';
import { randomIds } from '../../../server/domain/ids/ids.ts';
import { NOON } from '../../support/manual-clock.ts';

function message(id: string, second: number, more: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    type: 'message',
    priority: 'normal',
    content: id,
    context: null,
    from_session: 'ada',
    alias: 'bob',
    network_id: 'net',
    acked_at: null,
    created_at: `2026-01-31 23:59:${String(second).padStart(2, '0')}`,
    ...more,
  };
}

const side = (messages: MessageRecord[], next?: string): MessageSide => ({ messages, next });
const ids = (messages: readonly MessageRecord[]) => messages.map(({ id }) => id).join('');

describe('two lists of messages', () => {
  test('are merged by time, oldest first, each message once', () => {
    expect(
      ids(
        mergeByTime([
          side([message('d', 4), message('b', 2)]),
          side([message('d', 4), message('c', 3), message('a', 1)]),
        ]),
      ),
    ).toBe('abcd');
  });

  test('show nothing older than the start of a list with further pages', () => {
    expect(
      ids(mergeByTime([side([message('d', 4), message('c', 3)], '7'), side([message('b', 2), message('a', 1)])])),
    ).toBe('cd');
  });

  test('keep the order of the ids within one second', () => {
    const made = new Map<number, string>();
    const id = (millisecond: number, prefix: 'msg' | 'task' = 'msg') =>
      made.getOrInsertComputed(millisecond, () => randomIds({ now: () => NOON + millisecond }).next(prefix));
    const merged = mergeByTime([
      side([message(id(3), 1), message(id(1), 1, { type: 'reply' })]),
      side([message(id(2, 'task'), 1, { type: 'task' })]),
    ]);
    expect(merged.map((each) => each.id)).toEqual([id(1), id(2, 'task'), id(3)]);
  });

  test('put a question before its answer within one second', () => {
    const response = message('y', 1, { type: 'reply' });
    expect(ids(mergeByTime([side([response]), side([message('x', 1, { type: 'task' })])]))).toBe('xy');
  });
});

describe('a reloaded first page', () => {
  test('is followed by the older messages', () => {
    const known = side([message('c', 3), message('b', 2), message('a', 1)], '1');
    const { messages, next } = mergePage(known, side([message('d', 4), message('c', 3)], '3'));
    expect([ids(messages), next]).toEqual(['dcba', '1']);
  });

  test('replaces the older messages when they do not overlap', () => {
    const { messages, next } = mergePage(side([message('a', 1)], '1'), side([message('z', 9)], '9'));
    expect([ids(messages), next]).toEqual(['z', '9']);
  });
});

describe('a conversation that is held', () => {
  const known = [side([message('c', 3), message('b', 2)], '1')];

  test('is followed by a few new messages', () => {
    const joined = joinPages(known, [side([message('d', 4), message('c', 3)], '3')], 3);
    expect(joined?.map(({ messages }) => ids(messages))).toEqual(['dcb']);
    expect(joinPages([side([])], [side([message('a', 1)])], 3)?.map(({ messages }) => ids(messages))).toEqual(['a']);
  });

  test('stays as it is when there are too many, or some in between are missing', () => {
    expect(joinPages(known, [side([message('d', 4), message('c', 3)], '3')], 2)).toBeUndefined();
    expect(joinPages(known, [side([message('z', 9), message('y', 8)], '8')], 9)).toBeUndefined();
  });
});

test('a conversation loads the messages to and from one agent, or between two', () => {
  expect(sidesOf({ of: undefined, with: undefined })).toEqual([{}]);
  expect(sidesOf({ of: 'ada', with: undefined })).toEqual([{ alias: 'ada' }, { from_session: 'ada' }]);
  expect(sidesOf({ of: 'ada', with: 'bob' })).toEqual([
    { alias: 'ada', from_session: 'bob' },
    { alias: 'bob', from_session: 'ada' },
  ]);
});

test('a broadcast is one entry, however many recipients it has', () => {
  const copy = (id: string, alias: string) => message(id, 1, { type: 'broadcast', content: 'lunch', alias });
  const entries = chatEntriesOf([
    copy('a', 'one'),
    message('b', 1),
    copy('c', 'two'),
    message('d', 1, { content: 'b' }),
  ]);
  const shown = entries.map(({ message: { id }, copies }) => `${id} ${copies.map(({ alias }) => alias).join('+')}`);
  expect(shown).toEqual(['a one+two', 'b bob', 'd bob']);
});
