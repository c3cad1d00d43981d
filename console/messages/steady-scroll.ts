// Scrolls a log, oldest entry first: it starts at the first unread entry, stays at the end, or keeps its position while
// the user reads earlier entries.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ChatEntry } from './merge.ts';

const NEAR_END_PX = 48;

type Seen = {
  first: string | undefined;
  last: string | undefined;
  height: number;
  isAtEnd: boolean;
  /** Whether it was shown from its start: it may be loaded before it is known what is unread. */
  isStarted: boolean;
};

export function useSteadyScroll(
  ref: RefObject<HTMLDivElement | null>,
  entries: readonly ChatEntry[] | null,
  isFrozen: boolean,
  knowsUnread: boolean,
) {
  const before = useRef<Seen>({ first: undefined, last: undefined, height: 0, isAtEnd: true, isStarted: false });
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
    const { isAtEnd, height, first: firstBefore, last: lastBefore, isStarted } = before.current;
    const follows = isAtEnd && !(isFrozen && lastBefore !== undefined);
    if (follows) log.scrollTop = log.scrollHeight;
    // New content above moves the visible messages down, so the scroll position is restored.
    else if (first !== firstBefore && last === lastBefore) log.scrollTop += log.scrollHeight - height;
    const starts = !isStarted && follows && showUnread(log);
    const isKnown = last !== undefined && knowsUnread;
    const now = { first, last, height: log.scrollHeight, isAtEnd: isAtEnd && !starts };
    before.current = { ...now, isStarted: isStarted || starts || isKnown };
    if (follows) seenUpTo.value = last;
  }, [first, last, entries?.length, isFrozen, knowsUnread]);

  const at = entries?.findIndex(({ message }) => message.id === seenUpTo.value) ?? -1;
  const unseen = isSeen || at < 0 ? 0 : (entries?.length ?? 0) - at - 1;
  const scrollToEnd = () => {
    before.current.isAtEnd = true;
    atEnd.value = true;
    ref.current?.scrollTo({ top: ref.current.scrollHeight });
  };
  return { unseen, isAtEnd: atEnd.value, scrollToEnd };
}

/** Scrolls back to the first unread entry. Returns whether it was above the visible part. */
function showUnread(log: HTMLElement): boolean {
  const above = log.getBoundingClientRect().top;
  const top = log.querySelector('[data-unread]')?.getBoundingClientRect().top ?? above;
  log.scrollTop += Math.min(0, top - above);
  return top < above;
}
