// What was said in the network, by one agent, or between two: one or two lists of the hub, woven into one by time. News of
// the stream says that something was said; what was said is then asked for.
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { account } from '../account/account.ts';
import { listMessages, type MessageRecord } from '../live/api.ts';
import { follow, type Happening } from '../live/live-events.ts';
import { liveState } from '../live/store.ts';
import { weave } from './merge.ts';

/** Two agents, one, or none for everybody. */
export type Between = { of: string | undefined; with: string | undefined };
export type Side = { alias?: string | undefined; from_session?: string | undefined };
export type Strand = Side & { messages: readonly MessageRecord[]; next: string | undefined };

export type Conversation = {
  /** Oldest first; null until the first answer. */
  rows: ReadonlySignal<readonly MessageRecord[] | null>;
  hasOlder: ReadonlySignal<boolean>;
  failed: ReadonlySignal<boolean>;
  load(): Promise<void>;
  loadOlder(): Promise<void>;
};

const PAGE = 50;
const PAUSE_MS = 200;

export function useConversation(between: Between): Conversation {
  const strands = useSignal<readonly Strand[] | null>(null);
  const failed = useSignal(false);
  const network_id = account.value?.network_id;
  const key = JSON.stringify([network_id, between.of, between.with]);
  const acts = useMemo(() => actsOf(strands, failed, between, network_id), [key]);
  useEffect(() => {
    strands.value = null;
    void acts.load();
    return acts.close;
  }, [key]);
  // What was said while the connection was lost is not told afterwards to whoever only asks for it.
  useSignalEffect(() => {
    if (liveState.value.state === 'live') acts.loadSoon();
  });
  const rows = useComputed(() => (strands.value === null ? null : weave(strands.value)));
  const hasOlder = useComputed(() => strands.value?.some(({ next }) => next !== undefined) ?? false);
  return { rows, hasOlder, failed, load: acts.load, loadOlder: acts.loadOlder };
}

export function sidesOf({ of, with: other }: Between): Side[] {
  if (of === undefined) return [{}];
  return other === undefined ? [{ alias: of }, { from_session: of }] : [{ alias: of, from_session: other }, { alias: other, from_session: of }];
}

type Value<T> = { value: T };

function actsOf(strands: Value<readonly Strand[] | null>, failed: Value<boolean>, between: Between, network_id: string | undefined) {
  const sides = sidesOf(between);
  let isClosed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function page(side: Side, cursor?: string): Promise<Strand> {
    const { messages, next_cursor } = await listMessages({ ...side, network_id, limit: PAGE, cursor });
    return { ...side, messages, next: next_cursor };
  }

  async function take(asked: Promise<readonly Strand[]>, use: (fresh: readonly Strand[]) => readonly Strand[]): Promise<void> {
    const fresh = await asked.catch(() => undefined);
    if (isClosed) return;
    failed.value = fresh === undefined;
    if (fresh !== undefined) strands.value = use(fresh);
  }

  const load = () => take(Promise.all(sides.map((side) => page(side))), (fresh) => fresh.map((strand, at) => joined(strands.value?.[at], strand)));

  /** Only the strand that reaches back least has to be followed further. */
  function loadOlder(): Promise<void> {
    const known = strands.value ?? [];
    const at = shortest(known);
    const strand = known[at];
    if (strand?.next === undefined) return Promise.resolve();
    return take(Promise.all([page(strand, strand.next)]), ([older]) =>
      (strands.value ?? []).map((each, index) => (index === at && older !== undefined ? { ...older, messages: [...each.messages, ...older.messages] } : each)));
  }

  const loadSoon = () => {
    timer ??= setTimeout(() => ((timer = undefined), void load()), PAUSE_MS);
  };
  const leave = follow((happening) => {
    if (concerns(happening, sides)) loadSoon();
  });
  const close = () => {
    isClosed = true;
    clearTimeout(timer);
    leave();
  };
  return { load, loadOlder, loadSoon, close };
}

/** The first page of now, followed by what was known of before; all anew when the two do not touch. */
export function joined(known: Strand | undefined, fresh: Strand): Strand {
  const last = fresh.messages.at(-1)?.id;
  const at = known?.messages.findIndex(({ id }) => id === last) ?? -1;
  return known === undefined || at < 0 ? fresh : { ...fresh, messages: [...fresh.messages, ...known.messages.slice(at + 1)], next: known.next };
}

/** The place of the strand that has more on the hub and begins last. */
function shortest(strands: readonly Strand[]): number {
  const begins = strands.map(({ messages, next }) => (next === undefined ? '' : (messages.at(-1)?.created_at ?? '')));
  return begins.indexOf(begins.toSorted().at(-1) ?? '');
}

/** A message that arrived, an inbox that changed, a task that moved. */
function concerns(happening: Happening, sides: readonly Side[]): boolean {
  if (happening.type === 'session') return sides.some(({ alias }) => alias === happening.alias);
  const [to, from] = happening.type === 'task' ? [happening.to_name, happening.from_name] : [happening.alias, happening.from];
  return sides.some(({ alias = to, from_session = from }) => alias === to && from_session === from);
}
