// Follows the events of an agent or of a network: first what was missed, then live, from one sequence. The stream door
// only writes down what this hands it.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import type { StreamEvent } from '../../domain/events.ts';
import * as fields from '../../domain/fields.ts';
import type { Hub } from '../../hub.ts';
import * as events from '../../store/events.ts';
import { listMissed } from '../../store/lists/replay.ts';
import { assertKept, watchRights } from '../access/reauthorize.ts';
import { bestEffort } from '../best-effort.ts';
import { operation } from '../operation.ts';
import { markSeen } from '../sessions/presence.ts';

/** Where events go. */
export type Sink = {
  /** False when the reader is behind: nothing more is sent before `drained`. */
  send(event: StreamEvent): boolean;
  /** Called after the last event of a batch. */
  sentAll(): void;
  /** Resolves when the reader has taken all it was sent, or is gone. */
  drained(): Promise<void>;
  /** Told of every event that waits in the store for a reader that is behind. */
  missed(event: StreamEvent): void;
  /** Nothing waits for the reader any more: what comes is sent as it happens. */
  caughtUp(): void;
  /** Told when the store fails under a reader that fell behind. */
  broken(error: unknown): void;
};

export type Following = {
  /** Where the reader stands: the id to resume from before the first event. */
  id: string;
  idOf(event: StreamEvent): string;
  /** Why nothing can be replayed, when the reader asked for it. */
  resync?: string;
  /** Sends what was missed and resolves; what happens goes on being sent until `end`. */
  follow(sink: Sink): Promise<void>;
  /**
   * Calls `end` once the right to follow is taken; throws when it has been taken already. The answer stops watching.
   */
  watchRights(end: () => void): Promise<() => void>;
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
  }),
  run: async (hub, caller, { alias, last_event_id: lastId }): Promise<Following> => {
    const source = listen(hub, caller, alias);
    const position = await hub.store.read(events.position);
    const start = startFrom(hub, position, lastId);
    const release = await giveSignsOfLife(hub, caller, alias);
    return {
      id: eventId(hub, position.epoch, start.position, saltOf(hub)),
      idOf: (event) => (event.id ??= eventId(hub, position.epoch, event.seq)),
      ...(start.resync !== undefined && { resync: start.resync }),
      follow: (sink) => source.follow(start.position, sink),
      watchRights: async (end) => {
        const { standing, stop } = await watchRights(hub, caller, end);
        assertKept(standing);
        return stop;
      },
      end: () => (source.end(), release()),
    };
  },
});

/** `<epoch>-<opaque>`. The id of an event is the same for every reader. */
function eventId({ publicIds }: Hub, epoch: string, seq: number, salt?: number): string {
  return `${epoch}-${publicIds.ofNumber('event', seq, salt)}`;
}

// A reader opens at the latest event of the whole hub. Another id each time keeps from it whether there was one since.
function saltOf({ ids }: Hub): number {
  return 1 + Math.floor(ids.fraction() * 0xffff_fffe);
}

function seqIn({ publicIds }: Hub, epoch: string, id: string): number | undefined {
  return id.startsWith(`${epoch}-`) ? publicIds.numberIn('event', id.slice(epoch.length + 1)) : undefined;
}

// An id of another epoch, of the future or from before what is kept cannot be resumed.
function startFrom(
  hub: Hub,
  { epoch, after, latest }: events.StreamPosition,
  lastId: string | undefined,
): { position: number; resync?: string } {
  if (lastId === undefined) return { position: latest };
  const wanted = seqIn(hub, epoch, lastId);
  if (wanted === undefined || wanted > latest)
    return { position: latest, resync: 'the last event id is not of this hub' };
  if (wanted < after) return { position: latest, resync: 'events since the last event id are no longer kept' };
  return { position: wanted };
}

type Source = { follow(after: number, sink: Sink): Promise<void>; end(): void };

const PAGE = 25;
const PAGE_CHARACTERS = 256 * 1024;

/**
 * An event may have hundreds of kilobytes, and every reader that replays holds a page: as many as are small together,
 * at least one.
 */
function smallPage(page: readonly StreamEvent[]): readonly StreamEvent[] {
  let characters = 0;
  const large = page.findIndex(({ data }) => (characters += data.length) > PAGE_CHARACTERS);
  return large === -1 ? page : page.slice(0, Math.max(1, large));
}

// Listens before anything is read. As long as the reader is behind, the arrival of an event is only noted and the event
// read from the store when its turn comes: nothing is kept in memory for a slow reader, nothing comes twice and nothing
// is passed over.
function listen(hub: Hub, caller: NetworkReader, alias: string | undefined): Source {
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
    let sent = after;
    const send = (event: StreamEvent): boolean => {
      sent = event.seq;
      mark(event);
      return sink.send(event);
    };
    /**
     * Sends the next page, up to the first event after which the reader is behind. Keeps no events while the reader
     * catches up.
     */
    const sendPage = async (): Promise<{ count: number; keepsUp: boolean }> => {
      await hub.replays(caller.networks.join());
      const page = await hub.store.read(async (reader) =>
        smallPage(await listMissed(reader, { networks: caller.networks, alias, after: sent, limit: PAGE })),
      );
      for (const [index, event] of page.entries()) {
        if (isEnded) return { count: 0, keepsUp: true };
        if (!send(event)) return { count: index + 1, keepsUp: false };
      }
      sink.sentAll();
      return { count: page.length, keepsUp: true };
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
        const { count, keepsUp } = await sendPage();
        if (!keepsUp) await sink.drained();
        arrived ||= count > 0;
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

// Only the agent's own stream counts as pushing a message to it: not a person's view, nor a viewer's.
function marker(hub: Hub, caller: NetworkReader, alias: string | undefined): (event: StreamEvent) => void {
  if (!isAgentItself(caller, alias)) return () => {};
  return ({ message_id: id }) => {
    if (id !== undefined) hub.writeBehind.notified(id, hub.clock.now());
  };
}

function isAgentItself(caller: NetworkReader, alias: string | undefined): alias is string {
  return alias !== undefined && caller.token_kind === 'network' && !caller.asViewer;
}

async function giveSignsOfLife(hub: Hub, caller: NetworkReader, alias: string | undefined): Promise<() => void> {
  const [networkId] = caller.networks;
  if (networkId === undefined || !isAgentItself(caller, alias)) return () => {};
  const release = hub.heartbeats.hold(networkId, alias);
  const sign = { network_id: networkId, alias, at: hub.clock.now() };
  if (hub.heartbeats.note(sign)) await bestEffort(hub.store.write((tx) => markSeen(tx, [sign])));
  return () => release(hub.clock.now());
}
