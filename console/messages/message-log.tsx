// The message log, oldest first. It stays scrolled to the end, or keeps its position while the user reads older
// messages or has the pointer or the focus in it.
import { account } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { agentsByAlias } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { Empty } from '../parts/empty.tsx';
import { useFreeze } from '../parts/freeze.ts';
import type { Between, Conversation } from './conversation.ts';
import { LogFrame } from './log-frame.tsx';
import { type ChatEntry, chatEntriesOf } from './merge.ts';
import { MessageItem } from './message-item.tsx';
import { quotesIn } from './quotes.ts';
import { isReadOnSight, useReading } from './read-mail.ts';

export function MessageLog({ conversation, between }: { conversation: Conversation; between: Between }) {
  const { rows } = conversation;
  const freeze = useFreeze<HTMLDivElement>();
  const entries = rows.value === null ? null : chatEntriesOf(rows.value);
  const quoteOf = quotesIn(entries ?? [], taskKnown);
  useReading(freeze.ref, rows.value?.some(isReadOnSight) ?? false);
  return (
    <LogFrame
      conversation={conversation}
      entries={entries}
      freeze={freeze}
      showsLast={isOwn(entries?.at(-1))}
      knowsUnread={agentsByAlias.value !== null}
      empty={<EmptyLog between={between} />}
    >
      <ol class="log-list">
        {entries?.map((entry) => (
          <MessageItem key={entry.message.id} entry={entry} quote={quoteOf(entry.message)} />
        ))}
      </ol>
    </LogFrame>
  );
}

function EmptyLog({ between: { of, with: other } }: { between: Between }) {
  const { messages: text } = words.value;
  return (
    <Empty
      title={of !== undefined && other !== undefined ? text.emptyBetween(of, other) : text.emptyTitle}
      text={text.emptyText}
    />
  );
}

/** People want to see what they sent. */
function isOwn(entry: ChatEntry | undefined): boolean {
  return entry !== undefined && entry.message.from_session === account.value?.user.username;
}
