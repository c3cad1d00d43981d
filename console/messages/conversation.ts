// Loads the messages of the network, of one agent, or between two agents, by merging one or two lists by time. Live
// events only signal that messages exist; the messages are then loaded.
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { account } from '../account/account.ts';
import { listMessages, type MessageRecord } from '../live/api.ts';
import { type LiveEvent, onLiveEvent } from '../live/live-events.ts';
import { liveState } from '../live/store.ts';
import { mergeByTime } from './merge.ts';

/** Two agents, one agent, or none for everyone. */
export type Between = { of: string | undefined; with: string | undefined };
export type Side = { alias?: string | undefined; from_session?: string | undefined };
export type MessageSide = Side & { messages: readonly MessageRecord[]; next: string | undefined };

export type Conversation = {
  /** Oldest first; null until the first response. */
  rows: ReadonlySignal<readonly MessageRecord[] | null>;
  hasOlder: ReadonlySignal<boolean>;
  failed: ReadonlySignal<boolean>;
  load(): Promise<void>;
  loadOlder(): Promise<void>;
};

const PAGE = 50;
const PAUSE_MS = 200;

export function useConversation(between: Between): Conversation {
  const lists = useSignal<readonly MessageSide[] | null>(null);
  const failed = useSignal(false);
  const network_id = account.value?.network_id;
  const key = JSON.stringify([network_id, between.of, between.with]);
  const conversation = useMemo(() => openConversation(lists, failed, between, network_id), [key]);
  useEffect(() => {
    lists.value = null;
    void conversation.load();
    return conversation.close;
  }, [key]);
  // Messages sent while the stream was disconnected are not delivered later, so the list reloads after a reconnect.
  useSignalEffect(() => {
    if (liveState.value.state === 'live') conversation.loadSoon();
  });
  const rows = useComputed(() => (lists.value === null ? null : mergeByTime(lists.value)));
  const hasOlder = useComputed(() => lists.value?.some(({ next }) => next !== undefined) ?? false);
  return { rows, hasOlder, failed, load: conversation.load, loadOlder: conversation.loadOlder };
}

export function sidesOf({ of, with: other }: Between): Side[] {
  if (of === undefined) return [{}];
  return other === undefined
    ? [{ alias: of }, { from_session: of }]
    : [
        { alias: of, from_session: other },
        { alias: other, from_session: of },
      ];
}

type Value<T> = { value: T };

function openConversation(
  lists: Value<readonly MessageSide[] | null>,
  failed: Value<boolean>,
  between: Between,
  network_id: string | undefined,
) {
  const sides = sidesOf(between);
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function page(side: Side, cursor?: string): Promise<MessageSide> {
    const { messages, next_cursor } = await listMessages({ ...side, network_id, limit: PAGE, cursor });
    return { ...side, messages, next: next_cursor };
  }

  async function take(
    asked: Promise<readonly MessageSide[]>,
    use: (fresh: readonly MessageSide[]) => readonly MessageSide[],
  ): Promise<void> {
    const fresh = await asked.catch(() => undefined);
    if (isClosed) return;
    failed.value = fresh === undefined;
    if (fresh !== undefined) lists.value = use(fresh);
  }

  const load = () =>
    take(Promise.all(sides.map((side) => page(side))), (fresh) =>
      fresh.map((list, at) => mergePage(lists.value?.[at], list)),
    );

  /** Only the list whose loaded part starts latest needs another page. */
  function loadOlder(): Promise<void> {
    const known = lists.value ?? [];
    const at = shortest(known);
    const list = known[at];
    if (list?.next === undefined) return Promise.resolve();
    return take(Promise.all([page(list, list.next)]), ([older]) =>
      (lists.value ?? []).map((each, index) =>
        index === at && older !== undefined ? { ...older, messages: [...each.messages, ...older.messages] } : each,
      ),
    );
  }

  const loadSoon = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void load();
    }, PAUSE_MS);
  };
  const leave = onLiveEvent((event) => {
    if (concerns(event, sides)) loadSoon();
  });
  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    leave();
  };
  return { load, loadOlder, loadSoon, close };
}

/** Joins a reloaded first page with the older messages. The older ones are dropped when the two do not overlap. */
export function mergePage(known: MessageSide | undefined, fresh: MessageSide): MessageSide {
  const last = fresh.messages.at(-1)?.id;
  const at = known?.messages.findIndex(({ id }) => id === last) ?? -1;
  return known === undefined || at < 0
    ? fresh
    : { ...fresh, messages: [...fresh.messages, ...known.messages.slice(at + 1)], next: known.next };
}

/** The index of the list that has further pages and starts latest. */
function shortest(lists: readonly MessageSide[]): number {
  const begins = lists.map(({ messages, next }) => (next === undefined ? '' : (messages.at(-1)?.created_at ?? '')));
  return begins.indexOf(begins.toSorted().at(-1) ?? '');
}

/** A new message, an inbox change or a task transition. */
function concerns(event: LiveEvent, sides: readonly Side[]): boolean {
  if (event.type === 'session') return sides.some(({ alias }) => alias === event.alias);
  const [to, from] = event.type === 'task' ? [event.to_name, event.from_name] : [event.alias, event.from];
  return sides.some(({ alias = to, from_session = from }) => alias === to && from_session === from);
}
