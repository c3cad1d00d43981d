// The read state of mail to the signed-in person, who reads it here instead of in an inbox. Results and broadcasts are
// read once they were on the screen for a second. A question stays unread until it is answered or marked as read.
import { computed, signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { account } from '../account/account.ts';
import { type MessageRecord, readMessages } from '../live/api.ts';
import { agentsByAlias, mayWrite } from '../live/store.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';

/** The hub accepts no more ids in one request. */
const BATCH = 100;
/** How long a message is on the screen until it has been read. */
export const LOOK_MS = 1_000;
const RETRY_MS = 15_000;

export const readHere = signal<ReadonlySet<string>>(new Set());

/** Marks messages to the signed-in person or to `hub` as read. Tasks are refused: reading them would start them. */
export async function markRead(ids: readonly string[]): Promise<void> {
  const network_id = account.value?.network_id;
  for (let at = 0; at < ids.length; at += BATCH)
    await readMessages({ network_id, message_ids: ids.slice(at, at + BATCH) });
  readHere.value = new Set([...readHere.value, ...ids]);
}

/**
 * The signed-in person and `hub`, whose mail is for everybody; none for a viewer, who may not mark mail as read. An agent
 * that reports under one of these names reads its inbox itself.
 */
const ownInboxes = computed(() => {
  const names = mayWrite.value ? [account.value?.user.username ?? '', HUB_ALIAS] : [];
  return names.filter((name) => agentsByAlias.value?.has(name) === false);
});

/** Own messages to `hub` are for the others. */
export function isOwnMail({ type, alias, from_session }: MessageRecord): boolean {
  const isForOthers = alias === HUB_ALIAS && from_session === account.value?.user.username;
  return type !== 'task' && ownInboxes.value.includes(alias) && !isForOthers;
}

export function isUnread(message: MessageRecord): boolean {
  return isOwnMail(message) && message.acked_at === null && !readHere.value.has(message.id);
}

/** A question waits for more than a look at it. */
export function isReadOnSight(message: MessageRecord): boolean {
  return message.type !== 'message' && isUnread(message);
}

/** Reads the messages in `data-unread` of the rows on the screen, without the questions. */
export function useReading(log: RefObject<HTMLElement | null>, hasUnread: boolean): void {
  useEffect(() => {
    if (!hasUnread) return undefined;
    let before: ReadonlySet<string> = new Set();
    let restUntil = 0;
    const look = async () => {
      const shown = new Set(document.hidden || log.current === null ? [] : unreadOnScreen(log.current));
      const seen = [...shown].filter((id) => before.has(id));
      before = shown;
      if (seen.length === 0 || performance.now() < restUntil) return;
      restUntil = Number.POSITIVE_INFINITY;
      const isRead = await markRead(seen).then(
        () => true,
        () => false,
      );
      restUntil = isRead ? 0 : performance.now() + RETRY_MS;
    };
    const timer = setInterval(() => void look(), LOOK_MS);
    return () => clearInterval(timer);
  }, [hasUnread]);
}

/** Half of a row, or of the window for a row that is higher. */
function unreadOnScreen(log: HTMLElement): string[] {
  const frame = log.getBoundingClientRect();
  return [...log.querySelectorAll<HTMLElement>('[data-unread]:not([data-type="message"])')].flatMap((row) => {
    const { top, bottom, height } = row.getBoundingClientRect();
    const visible = Math.min(bottom, frame.bottom, innerHeight) - Math.max(top, frame.top, 0);
    return visible >= Math.min(height, frame.height) / 2 ? (row.dataset['unread'] ?? '').split(' ') : [];
  });
}
