// Strands of messages, each newest first, woven into one that is oldest first.
import type { MessageRecord } from '../live/api.ts';
import type { MessageSide } from './conversation.ts';

/**
 * What is older than the beginning of a list that has more on the hub is left out: something may be missing between.
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
    .toSorted(
      (one, other) =>
        compare(one.created_at, other.created_at) ||
        (lists.length > 1 ? compare(momentIn(one), momentIn(other)) || rankOf(one) - rankOf(other) : 0),
    );
}

const MOMENT = /(?<=^(?:task|msg)_)\w{7}(?=\w{15}$)/;

/**
 * A time tells no more than the second; the hub's ids begin with the millisecond. An id from elsewhere tells nothing.
 */
function momentIn({ id }: MessageRecord): string {
  return MOMENT.exec(id)?.[0] ?? '';
}

/** Of what two lists say within one moment, a question stands before an answer. */
function rankOf({ type }: MessageRecord): number {
  return type === 'task' ? 0 : type === 'reply' || type === 'cancel' ? 2 : 1;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** One thing said; a broadcast is one, to however many it went. */
export type ChatEntry = { message: MessageRecord; to: readonly string[] };

export function chatEntriesOf(messages: readonly MessageRecord[]): ChatEntry[] {
  const sayings: { message: MessageRecord; to: string[] }[] = [];
  const broadcasts = new Map<string, string[]>();
  for (const message of messages) {
    const key = JSON.stringify([message.from_session, message.created_at, message.content]);
    const same = message.type === 'broadcast' ? broadcasts.get(key) : undefined;
    if (same !== undefined) {
      same.push(message.alias);
      continue;
    }
    const to = [message.alias];
    if (message.type === 'broadcast') broadcasts.set(key, to);
    sayings.push({ message, to });
  }
  return sayings;
}
