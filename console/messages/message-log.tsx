// The message log, oldest first. It stays scrolled to the end, or keeps its position while the user reads older
// messages or has the pointer or the focus in it.
import { useEffect } from 'preact/hooks';
import { account } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { taskKnown } from '../live/task-pool.ts';
import { Empty } from '../parts/empty.tsx';
import { useFreeze } from '../parts/freeze.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import type { Between, Conversation } from './conversation.ts';
import { type ChatEntry, chatEntriesOf } from './merge.ts';
import { MessageItem } from './message-item.tsx';
import { quotesIn } from './quotes.ts';
import { isUnread, useReading } from './read-mail.ts';
import { useSteadyScroll } from './steady-scroll.ts';

export function MessageLog({ conversation, between }: { conversation: Conversation; between: Between }) {
  const { messages: text } = words.value;
  const { rows, failed, hasOlder, waiting, load, loadOlder, hold, showWaiting } = conversation;
  const { ref, isFrozen } = useFreeze<HTMLDivElement>();
  const entries = rows.value === null ? null : chatEntriesOf(rows.value);
  const quoteOf = quotesIn(entries ?? [], taskKnown);
  const { unseen, isAtEnd, scrollToEnd } = useSteadyScroll(ref, entries, isFrozen.value && !isOwn(entries?.at(-1)));
  useEffect(() => hold(isFrozen.value || !isAtEnd), [isFrozen.value, isAtEnd, hold]);
  const fresh = unseen + waiting.value;
  const showFresh = () => {
    scrollToEnd();
    void showWaiting();
  };
  useReading(ref, rows.value?.some(isUnread) ?? false);
  return (
    <div class="log-frame">
      <div class="log" ref={ref} role="log" aria-label={text.list} tabIndex={0}>
        {failed.value && <ListFailed onRetry={load} />}
        {entries === null && !failed.value && <SkeletonRows />}
        {hasOlder.value && (
          <button type="button" class="button log-older" onClick={() => void loadOlder()}>
            {text.older}
          </button>
        )}
        {entries?.length === 0 && !hasOlder.value && <EmptyLog between={between} />}
        <ol class="log-list">
          {entries?.map((entry) => (
            <MessageItem key={entry.message.id} entry={entry} quote={quoteOf(entry.message)} />
          ))}
        </ol>
      </div>
      {fresh > 0 && (
        <button type="button" class="new-items-button log-newer" onClick={showFresh}>
          {text.newMessages(fresh)}
        </button>
      )}
    </div>
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
