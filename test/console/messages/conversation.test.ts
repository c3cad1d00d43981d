import { describe, expect, test } from 'vitest';
import type { MessageRecord } from '../../../console/live/api.ts';
import { joined, type MessageSide, sidesOf } from '../../../console/messages/conversation.ts';
import { chatEntriesOf, mergeByTime } from '../../../console/messages/merge.ts';

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

const strand = (messages: MessageRecord[], next?: string): MessageSide => ({ messages, next });
const ids = (messages: readonly MessageRecord[]) => messages.map(({ id }) => id).join('');

describe('two strands', () => {
  test('are woven by time, oldest first, each message once', () => {
    expect(
      ids(
        mergeByTime([
          strand([message('d', 4), message('b', 2)]),
          strand([message('d', 4), message('c', 3), message('a', 1)]),
        ]),
      ),
    ).toBe('abcd');
  });

  test('show nothing from before the beginning of one that has more', () => {
    expect(
      ids(mergeByTime([strand([message('d', 4), message('c', 3)], '7'), strand([message('b', 2), message('a', 1)])])),
    ).toBe('cd');
  });

  test('keep the order within one second that the ids tell', () => {
    const id = (millisecond: number, prefix = 'msg') => `${prefix}_VbWCid${millisecond}${'x'.repeat(15)}`;
    const woven = mergeByTime([
      strand([message(id(3), 1), message(id(1), 1, { type: 'reply' })]),
      strand([message(id(2, 'task'), 1, { type: 'task' })]),
    ]);
    expect(woven.map((each) => each.id)).toEqual([id(1), id(2, 'task'), id(3)]);
  });

  test('put the question before the answer when both are of one second', () => {
    const answer = message('y', 1, { type: 'reply' });
    expect(ids(mergeByTime([strand([answer]), strand([message('x', 1, { type: 'task' })])]))).toBe('xy');
  });
});

describe('a fresh first page', () => {
  test('is followed by what was known of before', () => {
    const known = strand([message('c', 3), message('b', 2), message('a', 1)], '1');
    const { messages, next } = joined(known, strand([message('d', 4), message('c', 3)], '3'));
    expect([ids(messages), next]).toEqual(['dcba', '1']);
  });

  test('stands alone when the two do not touch', () => {
    const { messages, next } = joined(strand([message('a', 1)], '1'), strand([message('z', 9)], '9'));
    expect([ids(messages), next]).toEqual(['z', '9']);
  });
});

test('a conversation asks for what was said to and by one, or by each of two to the other', () => {
  expect(sidesOf({ of: undefined, with: undefined })).toEqual([{}]);
  expect(sidesOf({ of: 'ada', with: undefined })).toEqual([{ alias: 'ada' }, { from_session: 'ada' }]);
  expect(sidesOf({ of: 'ada', with: 'bob' })).toEqual([
    { alias: 'ada', from_session: 'bob' },
    { alias: 'bob', from_session: 'ada' },
  ]);
});

test('a broadcast is one thing said, to however many it went', () => {
  const copy = (id: string, alias: string) => message(id, 1, { type: 'broadcast', content: 'lunch', alias });
  const sayings = chatEntriesOf([
    copy('a', 'one'),
    message('b', 1),
    copy('c', 'two'),
    message('d', 1, { content: 'b' }),
  ]);
  expect(sayings.map(({ message: { id }, to }) => `${id} ${to.join('+')}`)).toEqual(['a one+two', 'b bob', 'd bob']);
});
