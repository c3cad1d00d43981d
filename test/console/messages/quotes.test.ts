import { describe, expect, test } from 'vitest';
import type { MessageRecord } from '../../../console/live/api.ts';
import { chatEntriesOf } from '../../../console/messages/merge.ts';
import { quotesIn } from '../../../console/messages/quotes.ts';

function message(id: string, more: Partial<MessageRecord> = {}): MessageRecord {
  return {
    id,
    type: 'message',
    priority: 'normal',
    content: `text of ${id}`,
    context: null,
    from_session: 'worker-1',
    alias: 'ada',
    network_id: 'net',
    acked_at: null,
    created_at: '2026-01-31 23:59:00',
    ...more,
  };
}

const task = message('msg_t', { type: 'task', task_id: 'task_1', from_session: 'boss' });
const knownTask = { content: 'Paint the wall', from_name: 'boss' };

function quoteOf(answering: Partial<MessageRecord>, loaded: MessageRecord[] = [], known: string[] = []) {
  const quotes = quotesIn(chatEntriesOf(loaded), (id) => (known.includes(id) ? knownTask : undefined));
  return quotes(message('msg_answer', answering));
}

describe('the quote of a message', () => {
  test('is absent when it answers nothing', () => expect(quoteOf({})).toBeUndefined());

  test('is a loaded message', () => {
    const asked = message('msg_1');
    expect(quoteOf({ in_reply_to: 'msg_1' }, [asked])).toEqual({ kind: 'message', entry_id: 'msg_1', message: asked });
  });

  test('is the one entry of a broadcast, whichever copy is answered', () => {
    const copies = ['a', 'b'].map((id) => message(id, { type: 'broadcast', content: 'lunch' }));
    expect(quoteOf({ in_reply_to: 'b' }, copies)).toMatchObject({ kind: 'message', entry_id: 'a' });
  });

  test.each([
    ['by the id of its message', { in_reply_to: 'msg_t' }],
    ['by its own id', { in_reply_to: 'task_1' }],
  ])('is a loaded task %s', (_, answering) => {
    expect(quoteOf(answering, [task])).toEqual({
      kind: 'task',
      task_id: 'task_1',
      from: 'boss',
      content: 'text of msg_t',
    });
  });

  test('is a task that the page knows', () => {
    expect(quoteOf({ in_reply_to: 'task_1' }, [], ['task_1'])).toEqual({
      kind: 'task',
      task_id: 'task_1',
      from: 'boss',
      content: 'Paint the wall',
    });
  });

  test.each([
    ['its id says so', { in_reply_to: 'task_9' }, 'task_9'],
    ['the reply settled it', { in_reply_to: 'imported', task_id: 'imported' }, 'imported'],
  ])('is an unknown task when %s', (_, answering, task_id) => {
    expect(quoteOf(answering)).toEqual({ kind: 'task', task_id, from: undefined, content: undefined });
  });

  test('is unknown for a message that is not loaded', () =>
    expect(quoteOf({ in_reply_to: 'msg_9' })).toEqual({ kind: 'unknown' }));
});
