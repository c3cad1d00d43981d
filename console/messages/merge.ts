// Merges lists of messages, each newest first, into one list, oldest first.
import type { MessageRecord } from '../live/api.ts';
import type { MessageSide } from './conversation.ts';

/**
 * Leaves out messages older than the start of a list that has further pages, because messages in between may be
 * missing.
 */
export function mergeByTime(lists: readonly MessageSide[]): MessageRecord[] {
  const from =
    lists
      .map(({ messages, next }) => (next === undefined ? '' : (messages.at(-1)?.created_at ?? '')))
      .toSorted()
      .at(-1) ?? '';
  const unique = new Map(
    lists.flatMap(({ messages }) => messages.toReversed()).map((message) => [message.id, message]),
  );
  return [...unique.values()]
    .filter(({ created_at }) => created_at >= from)
    .toSorted((one, other) => (lists.length > 1 ? byTime(one, other) : compare(one.created_at, other.created_at)));
}

/** Orders messages of several lists; each list alone is in order. */
export function byTime(one: MessageRecord, other: MessageRecord): number {
  return (
    compare(one.created_at, other.created_at) || compare(momentIn(one), momentIn(other)) || rankOf(one) - rankOf(other)
  );
}

const MOMENT = /(?<=^(?:task|msg)_)\w{7}(?=\w{9}$)/;

/** Timestamps have a resolution of one second. Ids of the hub start with the millisecond; other ids carry no order. */
function momentIn({ id }: MessageRecord): string {
  return MOMENT.exec(id)?.[0] ?? '';
}

/** When two lists have messages at the same moment, a question comes before its answer. */
function rankOf({ type }: MessageRecord): number {
  return type === 'task' ? 0 : type === 'reply' || type === 'cancel' ? 2 : 1;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** One entry of the log. A broadcast is one entry for all its recipients, each of whom has a copy. */
export type ChatEntry = { message: MessageRecord; copies: readonly MessageRecord[] };

export function chatEntriesOf(messages: readonly MessageRecord[]): ChatEntry[] {
  const entries: { message: MessageRecord; copies: MessageRecord[] }[] = [];
  const broadcasts = new Map<string, MessageRecord[]>();
  for (const message of messages) {
    const key = JSON.stringify([message.from_session, message.created_at, message.content]);
    const same = message.type === 'broadcast' ? broadcasts.get(key) : undefined;
    if (same !== undefined) {
      same.push(message);
      continue;
    }
    const copies = [message];
    if (message.type === 'broadcast') broadcasts.set(key, copies);
    entries.push({ message, copies });
  }
  return entries;
}
