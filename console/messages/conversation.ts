// Loads the messages of the network, of one agent, or between two agents, by merging one or two lists by time. Live
// events only signal that messages exist; the messages are then loaded. Of a long conversation, the newest messages are
// kept. While the conversation is frozen, the rows stay: a few new messages may follow them, further ones wait.
import { type ReadonlySignal, type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { account } from '../account/account.ts';
import { listMessages, type MessageRecord } from '../live/api.ts';
import { type LiveEvent, onLiveEvent } from '../live/live-events.ts';
import { liveState } from '../live/store.ts';
import { atMostEvery } from '../live/throttle.ts';
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
  /** The number of new messages that are not among the rows. */
  waiting: ReadonlySignal<number>;
  load(): Promise<void>;
  loadOlder(): Promise<void>;
  hold(isHeld: boolean): void;
  /** Shows the newest messages, even while it is held. */
  showWaiting(): Promise<void>;
};

const NEWEST = 24;
const OLDER = 50;
/** New messages that may follow the others while the conversation is held. */
const ROOM = 50;
const REFRESH_MS = 1_000;

export function useConversation(between: Between): Conversation {
  return useMessages(sidesOf(between), NEWEST);
}

/** The messages of several lists, `newest` of each at first. */
export function useMessages(sides: readonly Side[], newest: number): Conversation {
  const lists = useSignal<readonly MessageSide[] | null>(null);
  const failed = useSignal(false);
  const waiting = useSignal(0);
  const network_id = account.value?.network_id;
  const key = JSON.stringify([network_id, sides]);
  const conversation = useMemo(() => {
    // Otherwise the messages of the previous conversation would be shown until these load.
    lists.value = null;
    waiting.value = 0;
    return openConversation({ lists, failed, waiting }, { sides, newest, network_id });
  }, [key]);
  useEffect(() => {
    void conversation.load();
    return conversation.close;
  }, [key]);
  // Messages sent while the stream was disconnected are not delivered later, so the list reloads after a reconnect.
  useSignalEffect(() => {
    if (liveState.value.state === 'live') conversation.loadSoon();
  });
  const rows = useComputed(() => (lists.value === null ? null : mergeByTime(lists.value)));
  const hasOlder = useComputed(() => lists.value?.some(({ next }) => next !== undefined) ?? false);
  const { load, loadOlder, hold, showWaiting } = conversation;
  return { rows, hasOlder, failed, waiting, load, loadOlder, hold, showWaiting };
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

type State = {
  lists: Signal<readonly MessageSide[] | null>;
  failed: Signal<boolean>;
  waiting: Signal<number>;
};

type Wanted = { sides: readonly Side[]; newest: number; network_id: string | undefined };

function openConversation({ lists, failed, waiting }: State, { sides, newest, network_id }: Wanted) {
  let isClosed = false;
  let isHeld = false;
  let isBehind = false;
  /** The ids of messages announced since the shown ones were requested, which may have some of them. */
  const announced = new Set<string>();
  /** The number of messages to keep while it is held. */
  let capacity = 0;

  async function page(side: Side, limit: number, cursor?: string): Promise<MessageSide> {
    const { messages, next_cursor } = await listMessages({ ...side, network_id, limit, cursor });
    return { ...side, messages, next: next_cursor };
  }

  async function ask<Response>(request: Promise<Response>, use: (response: Response) => void): Promise<void> {
    const response = await request.catch(() => undefined);
    if (isClosed) return;
    failed.value = response === undefined;
    if (response !== undefined) use(response);
  }

  function isShown(message: string): boolean {
    return lists.value?.some(({ messages }) => messages.some(({ id }) => id === message)) ?? false;
  }

  async function load(mayMove = false): Promise<void> {
    const before = [...announced];
    await ask(Promise.all(sides.map((side) => page(side, newest))), (fresh) => {
      const isKept = isHeld && !mayMove;
      const joined = isKept && lists.value !== null ? joinPages(lists.value, fresh, capacity) : fresh;
      isBehind = joined === undefined;
      if (joined !== undefined) {
        for (const id of before) announced.delete(id);
        lists.value = joined;
      }
      if (!isKept) capacity = sizeOf(fresh) + ROOM;
      waiting.value = isBehind ? [...announced].filter((id) => !isShown(id)).length : 0;
    });
  }

  /** Only the list whose loaded part starts latest needs another page. */
  async function loadOlder(): Promise<void> {
    const known = lists.value ?? [];
    const at = shortest(known);
    const list = known[at];
    if (list?.next === undefined) return;
    await ask(page(list, OLDER, list.next), (older) => {
      capacity += older.messages.length;
      lists.value = (lists.value ?? []).map((each, index) =>
        index === at ? { ...older, messages: [...each.messages, ...older.messages] } : each,
      );
    });
  }

  function hold(held: boolean): void {
    if (isHeld === held) return;
    isHeld = held;
    if (!held && isBehind) loading.soon();
  }

  async function showWaiting(): Promise<void> {
    if (isBehind) await load(true);
  }

  const loading = atMostEvery(REFRESH_MS, () => void load());
  const leave = onLiveEvent((event) => {
    if (!concerns(event, sides)) return;
    const isNew = 'message_id' in event && announced.size < announced.add(event.message_id).size;
    if (isHeld && isBehind) waiting.value += isNew && !isShown(event.message_id) ? 1 : 0;
    else loading.soon();
  });
  const close = () => {
    isClosed = true;
    loading.stop();
    leave();
  };
  return { load: () => load(), loadOlder, loadSoon: loading.soon, hold, showWaiting, close };
}

/** Undefined when messages in between are missing, or when there are too many new ones. */
export function joinPages(
  known: readonly MessageSide[],
  fresh: readonly MessageSide[],
  capacity: number,
): readonly MessageSide[] | undefined {
  const joined = fresh.map((list, at) => mergePage(known[at], list));
  const isWhole = joined.every((list, at) => list !== fresh[at] || known[at]?.messages.length === 0);
  return isWhole && sizeOf(joined) <= capacity ? joined : undefined;
}

function sizeOf(lists: readonly MessageSide[]): number {
  return lists.reduce((sum, { messages }) => sum + messages.length, 0);
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
