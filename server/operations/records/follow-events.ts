// Follows the events of an agent or of a network: first those missed, then live ones, in one sequence. The HTTP stream
// writes only what it receives from here.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import type { Change } from '../../domain/changes.ts';
import type { StreamEvent } from '../../domain/events.ts';
import * as fields from '../../domain/fields.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import * as events from '../../store/events.ts';
import { listMissed } from '../../store/lists/replay.ts';
import { assertKept, watchAccess } from '../access/watch-access.ts';
import { watchChanges } from '../access/watch-changes.ts';
import { bestEffort } from '../best-effort.ts';
import { operation } from '../operation.ts';
import { recordHeartbeats } from '../sessions/presence.ts';

/** The receiver of the events. */
export type Sink = {
  /** Returns false when the reader falls behind; nothing more is sent before `drained` resolves. */
  send(event: StreamEvent): boolean;
  /** Called after the last event of a batch. */
  sentAll(): void;
  /** Resolves when the reader has consumed everything sent, or has disconnected. */
  drained(): Promise<void>;
  /** Called for every event that waits in the store because the reader is behind. */
  missed(event: StreamEvent): void;
  /** Called when the reader has caught up; later events are sent live. */
  caughtUp(): void;
  /** Called when the store fails while the reader catches up. */
  broken(error: unknown): void;
};

export type Following = {
  /** The reader's position: the id to resume from before the first event. */
  id: string;
  idOf(event: StreamEvent): string;
  /** Why the requested replay is not possible. */
  resync?: string;
  /** Sends the missed events and resolves; live events continue until `end`. */
  follow(sink: Sink): Promise<void>;
  /** Calls `end` once access is revoked; throws if it already is. Returns a function that stops watching. */
  watchAccess(end: () => void): Promise<() => void>;
  /** Calls back on changes that the caller may see, if they were asked for. Returns a function that stops watching. */
  watchChanges(onChange: (change: Change) => void): () => void;
  end(): void;
};

export const followEvents = operation({
  name: 'follow_events',
  summary: 'Follow the events of an agent, or of a whole network, as they happen.',
  access: 'read',
  input: v.object({
    alias: v.optional(fields.alias),
    network_id: fields.networkId,
    last_event_id: v.optional(fields.described(v.string(), 'id of the last event received')),
    changes: v.optional(fields.described(fields.yesOrNo, 'true: also `changed`, when there are lists to load again')),
  }),
  run: async (hub, caller, { alias, last_event_id: lastId, changes }, { store }): Promise<Following> => {
    const source = listen(hub, store, caller, alias);
    const position = await store.read(events.position);
    const start = startFrom(hub, position, lastId);
    const release = await keepAlive(hub, store, caller, alias);
    return {
      id: eventId(hub, position.epoch, start.position, saltOf(hub)),
      idOf: (event) => (event.id ??= eventId(hub, position.epoch, event.seq)),
      ...(start.resync !== undefined && { resync: start.resync }),
      follow: (sink) => source.follow(start.position, sink),
      watchAccess: async (end) => {
        const { state, stop } = await watchAccess(hub, caller, end);
        assertKept(state);
        return stop;
      },
      watchChanges: (onChange) =>
        changes === true && alias === undefined ? watchChanges(hub, caller, onChange) : () => {},
      end: () => {
        source.end();
        release();
      },
    };
  },
});

/** `<epoch>-<opaque>`. The id of an event is the same for every reader. */
function eventId({ publicIds }: Hub, epoch: string, seq: number, salt?: number): string {
  return `${epoch}-${publicIds.ofNumber('event', seq, salt)}`;
}

// A reader starts at the latest event of the whole hub. A random salt in the id hides whether other networks had events
// since.
function saltOf({ ids }: Hub): number {
  return 1 + Math.floor(ids.fraction() * 0xffff_fffe);
}

function seqIn({ publicIds }: Hub, epoch: string, id: string): number | undefined {
  return id.startsWith(`${epoch}-`) ? publicIds.numberIn('event', id.slice(epoch.length + 1)) : undefined;
}

// An id from another epoch, from the future or from before the retained events cannot be resumed.
function startFrom(
  hub: Hub,
  { epoch, after, latest }: events.StreamPosition,
  lastId: string | undefined,
): { position: number; resync?: string } {
  if (lastId === undefined) return { position: latest };
  const wanted = seqIn(hub, epoch, lastId);
  if (wanted === undefined || wanted > latest)
    return { position: latest, resync: 'the last event id is not from this hub' };
  if (wanted < after) return { position: latest, resync: 'events since the last event id are no longer available' };
  return { position: wanted };
}

type Source = { follow(after: number, sink: Sink): Promise<void>; end(): void };

const PAGE = 25;
/** Every reader that replays holds a page in memory. */
const PAGE_CHARACTERS = 256 * 1024;
/** Rows searched for a page, in less than a millisecond: an alias may have few of a million events. */
const PAGE_ROWS = 2_000;

// Subscribes before reading. While the reader is behind, an arriving event is only noted and is read from the store in
// its turn, so nothing is kept in memory for a slow reader, and no event is repeated or skipped.
function listen(hub: Hub, store: ScopedStore, caller: NetworkReader, alias: string | undefined): Source {
  const mark = marker(hub, caller, alias);
  let onEvent = (_event: StreamEvent): void => {};
  let onLost = (): void => {};
  let isEnded = false;
  let unsubscribe = (): void => {};

  const follow = (after: number, sink: Sink): Promise<void> => {
    unsubscribe = hub.broker.follow(
      { networks: caller.networks, alias },
      {
        take: (events) => {
          for (const event of events) onEvent(event);
          sink.sentAll();
        },
        lost: () => onLost(),
      },
    );
    let sent = after; // everything up to this number
    const send = (event: StreamEvent): boolean => {
      sent = event.seq;
      mark(event);
      return sink.send(event);
    };
    let limit = PAGE;
    /**
     * Sends the next page, up to the first event at which the reader falls behind; as many are read for it next time.
     * Holds no events while it catches up.
     */
    const sendPage = async (): Promise<{ isLast: boolean; keepsUp: boolean }> => {
      await hub.replays(caller.networks.join());
      const page = { limit, characters: PAGE_CHARACTERS, rows: PAGE_ROWS };
      const asked = { networks: caller.networks, alias, after: sent, ...page };
      const { found, end } = await store.read((reader) => listMissed(reader, asked));
      for (const [index, event] of found.entries()) {
        if (isEnded) return { isLast: true, keepsUp: true };
        if (send(event)) continue;
        limit = index + 1;
        return { isLast: false, keepsUp: false };
      }
      limit = Math.min(PAGE, limit * 2);
      sink.sentAll();
      sent = end ?? sent;
      return { isLast: end === undefined, keepsUp: true };
    };
    const catchUp = async (): Promise<void> => {
      let arrived = true;
      onEvent = (event) => {
        arrived = true;
        if (event.seq > sent) sink.missed(event);
      };
      onLost = () => void (arrived = true);
      while (arrived && !isEnded) {
        arrived = false;
        const { isLast, keepsUp } = await sendPage();
        if (!keepsUp) await sink.drained();
        arrived ||= !isLast;
      }
      goLive();
    };
    const goLive = (): void => {
      sink.caughtUp();
      onEvent = (event) => {
        if (event.seq > sent && !send(event)) fallBehind();
      };
      onLost = fallBehind;
    };
    const fallBehind = (): void => {
      onEvent = sink.missed;
      onLost = () => {};
      sink.drained().then(catchUp).catch(sink.broken);
    };
    return catchUp();
  };
  const end = (): void => {
    isEnded = true;
    unsubscribe();
  };
  return { follow, end };
}

// Only the agent's own stream marks a message as pushed, not a console view or a viewer's stream.
function marker(hub: Hub, caller: NetworkReader, alias: string | undefined): (event: StreamEvent) => void {
  if (!isAgentItself(caller, alias)) return () => {};
  return ({ message_id: id }) => {
    if (id !== undefined) hub.writeBehind.notified(id, hub.clock.now());
  };
}

function isAgentItself(caller: NetworkReader, alias: string | undefined): alias is string {
  return alias !== undefined && caller.token_kind === 'network' && !caller.asViewer;
}

async function keepAlive(
  hub: Hub,
  store: ScopedStore,
  caller: NetworkReader,
  alias: string | undefined,
): Promise<() => void> {
  const [networkId] = caller.networks;
  if (networkId === undefined || !isAgentItself(caller, alias)) return () => {};
  const release = hub.heartbeats.hold(networkId, alias);
  const heartbeat = { network_id: networkId, alias, at: hub.clock.now() };
  if (hub.heartbeats.note(heartbeat))
    await bestEffort(store, () => store.write((tx) => recordHeartbeats(tx, [heartbeat])));
  return () => release(hub.clock.now());
}
