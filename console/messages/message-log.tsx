// The message log, oldest first. It stays scrolled to the end, or keeps its position while the user reads older
// messages or has the pointer or the focus in it.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
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

const NEAR_END_PX = 48;

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

type Seen = { first: string | undefined; last: string | undefined; height: number; isAtEnd: boolean };

function useSteadyScroll(
  ref: RefObject<HTMLDivElement | null>,
  entries: readonly ChatEntry[] | null,
  isFrozen: boolean,
) {
  const before = useRef<Seen>({ first: undefined, last: undefined, height: 0, isAtEnd: true });
  const seenUpTo = useSignal<string | undefined>(undefined);
  const atEnd = useSignal(true);
  const first = entries?.at(0)?.message.id;
  const last = entries?.at(-1)?.message.id;
  const isSeen = entries === null || last === seenUpTo.value;

  useLayoutEffect(() => {
    const log = ref.current;
    if (log === null) return undefined;
    const note = () => {
      before.current.isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR_END_PX;
      atEnd.value = before.current.isAtEnd;
      if (before.current.isAtEnd) seenUpTo.value = before.current.last;
    };
    log.addEventListener('scroll', note, { passive: true });
    const watcher = new ResizeObserver(() => before.current.isAtEnd && (log.scrollTop = log.scrollHeight));
    watcher.observe(log);
    return () => {
      log.removeEventListener('scroll', note);
      watcher.disconnect();
    };
  }, []);

  useLayoutEffect(() => {
    const log = ref.current;
    if (log === null) return;
    const { isAtEnd, height, first: firstBefore, last: lastBefore } = before.current;
    const follows = isAtEnd && !(isFrozen && lastBefore !== undefined);
    if (follows) log.scrollTop = log.scrollHeight;
    // New content above moves the visible messages down, so the scroll position is restored.
    else if (first !== firstBefore && last === lastBefore) log.scrollTop += log.scrollHeight - height;
    before.current = { first, last, height: log.scrollHeight, isAtEnd };
    if (follows) seenUpTo.value = last;
  }, [first, last, entries?.length, isFrozen]);

  const at = entries?.findIndex(({ message }) => message.id === seenUpTo.value) ?? -1;
  const unseen = isSeen || at < 0 ? 0 : (entries?.length ?? 0) - at - 1;
  const scrollToEnd = () => {
    before.current.isAtEnd = true;
    atEnd.value = true;
    ref.current?.scrollTo({ top: ref.current.scrollHeight });
  };
  return { unseen, isAtEnd: atEnd.value, scrollToEnd };
}
