// The frame of a log, oldest entry first: earlier entries on request, newer ones behind a button while the user reads.
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { words } from '../i18n/language.ts';
import type { useFreeze } from '../parts/freeze.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import type { Conversation } from './conversation.ts';
import type { ChatEntry } from './merge.ts';
import { useSteadyScroll } from './steady-scroll.ts';

type LogFrameProps = {
  conversation: Conversation;
  /** Null until they are loaded. */
  entries: readonly ChatEntry[] | null;
  freeze: ReturnType<typeof useFreeze<HTMLDivElement>>;
  /** Whether the last entry is shown even while the user reads. */
  showsLast?: boolean;
  /** Whether it is known yet which entries are unread. */
  knowsUnread?: boolean;
  hasOlder?: boolean;
  empty: ComponentChildren;
  children: ComponentChildren;
};

const SCROLLS = /^(?:Page(?:Up|Down)|Home|End|Arrow(?:Up|Down))$/;

function isPage(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches('body, main');
}

export function LogFrame({
  conversation,
  entries,
  freeze,
  showsLast = false,
  knowsUnread = true,
  empty,
  children,
  ...props
}: LogFrameProps) {
  const { messages: text } = words.value;
  const { failed, waiting, load, loadOlder, hold, showWaiting } = conversation;
  const { hasOlder = conversation.hasOlder.value } = props;
  const isFrozen = freeze.isFrozen.value;
  const { unseen, isAtEnd, scrollToEnd } = useSteadyScroll(freeze.ref, entries, isFrozen && !showsLast, knowsUnread);
  useEffect(() => hold(isFrozen || !isAtEnd), [isFrozen, isAtEnd, hold]);
  useEffect(() => {
    // The page itself does not scroll. The focus decides what the key scrolls.
    const reach = ({ key, target }: KeyboardEvent) =>
      SCROLLS.test(key) && isPage(target) && freeze.ref.current?.focus({ preventScroll: true });
    addEventListener('keydown', reach);
    return () => removeEventListener('keydown', reach);
  }, []);
  const fresh = unseen + waiting.value;
  const showFresh = () => {
    scrollToEnd();
    void showWaiting();
  };
  return (
    <div class="log-frame">
      <div class="log" ref={freeze.ref} role="log" aria-label={text.list} tabIndex={0}>
        {failed.value && <ListFailed onRetry={load} />}
        {entries === null && !failed.value && <SkeletonRows />}
        {hasOlder && (
          <button type="button" class="button log-older" onClick={() => void loadOlder()}>
            {text.older}
          </button>
        )}
        {entries?.length === 0 && !hasOlder && empty}
        {children}
      </div>
      {fresh > 0 && (
        <button type="button" class="new-items-button log-newer" onClick={showFresh}>
          {text.newMessages(fresh)}
        </button>
      )}
    </div>
  );
}
