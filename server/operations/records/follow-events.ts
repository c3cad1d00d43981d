// Follows the events of an agent or of a network: first what was missed, then live, from one sequence. The stream door
// only writes down what this hands it.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/caller.ts';
import type { StreamEvent } from '../../domain/events.ts';
import * as fields from '../../domain/fields.ts';
import type { Hub } from '../../hub.ts';
import * as events from '../../store/events.ts';
import { operation } from '../operation.ts';
import { markSeen } from '../time-passes.ts';

/** Where events go. `send` answers false when the reader is behind; `drained` resolves when it has caught up. */
export type Sink = { send(event: StreamEvent): boolean; drained(): Promise<void> };

export type Following = {
  epoch: string;
  /** The sequence number the reader stands at; what it is sent comes after. */
  position: number;
  /** Why nothing can be replayed, when the reader asked for it. */
  resync?: string;
  /** Replays, then resolves; live events go on arriving until `end`. */
  follow(sink: Sink): Promise<void>;
  end(): void;
};

export const followEvents = operation({
  name: 'follow_events',
  summary: 'Follow the events of an agent, or of a whole network, as they happen.',
  access: 'read',
  input: v.object({
    alias: v.optional(fields.alias),
    network_id: fields.networkId,
    last_event_id: v.optional(fields.described(fields.name, 'id of the last event received')),
  }),
  run: async (hub, caller, { alias, last_event_id: lastId }): Promise<Following> => {
    const source = listen(hub, caller, alias);
    const position = await hub.store.read(events.position);
    const start = startFrom(position, lastId);
    const release = await giveSignsOfLife(hub, caller, alias);
    return {
      epoch: position.epoch,
      ...start,
      follow: (sink) => source.follow(start.position, sink),
      end: () => (source.end(), release()),
    };
  },
});

// Ids are `<epoch>-<seq>`; one of another epoch, of the future or from before what is kept cannot be resumed.
function startFrom({ epoch, oldest, latest }: events.StreamPosition, lastId: string | undefined): { position: number; resync?: string } {
  if (lastId === undefined) return { position: latest };
  const seq = /^([^-]+)-(\d{1,15})$/.exec(lastId);
  if (seq?.[1] !== epoch) return { position: latest, resync: 'the last event id is not of this hub' };
  const wanted = Number(seq[2]);
  if (wanted > latest) return { position: latest, resync: 'the last event id is not of this hub' };
  if (wanted < oldest - 1 || (oldest === 0 && wanted < latest)) return { position: latest, resync: 'events since the last event id are no longer kept' };
  return { position: wanted };
}

type Source = { follow(after: number, sink: Sink): Promise<void>; end(): void };

const PAGE = 200;

// Listens before the replay is read. Until the replay has caught up, the arrival of an event is only noted and the
// event read from the store, so nothing is kept in memory for a slow reader and nothing comes twice.
function listen(hub: Hub, caller: NetworkReader, alias: string | undefined): Source {
  let arrived = false;
  let ended = false;
  let onEvent = (_event: StreamEvent): void => void (arrived = true);
  const unsubscribe = hub.broker.subscribe({ networks: caller.networks, alias }, (event) => onEvent(event));
  const mark = marker(hub, caller, alias);

  const follow = async (after: number, sink: Sink): Promise<void> => {
    let sent = after;
    for (;;) {
      arrived = false;
      const page = await hub.store.read((reader) => events.listAfter(reader, caller.networks, alias, sent, PAGE));
      for (const event of page) {
        if (ended) return;
        if (!sink.send(event)) await sink.drained();
        mark(event);
        sent = event.seq;
      }
      if (page.length === 0 && !arrived) break;
    }
    onEvent = (event) => {
      sink.send(event);
      mark(event);
    };
  };
  return { follow, end: () => ((ended = true), unsubscribe()) };
}

// Only the agent's own stream counts as pushing a message to it: not a person's view, nor a viewer's.
function marker(hub: Hub, caller: NetworkReader, alias: string | undefined): (event: StreamEvent) => void {
  if (!isAgentItself(caller, alias)) return () => {};
  return (event) => {
    const data: unknown = JSON.parse(event.data);
    if (typeof data === 'object' && data !== null && 'message_id' in data) hub.marks.notified(String(data.message_id));
  };
}

function isAgentItself(caller: NetworkReader, alias: string | undefined): alias is string {
  return alias !== undefined && caller.token_kind === 'network' && !caller.asViewer;
}

async function giveSignsOfLife(hub: Hub, caller: NetworkReader, alias: string | undefined): Promise<() => void> {
  const [networkId] = caller.networks;
  if (networkId === undefined || !isAgentItself(caller, alias)) return () => {};
  const release = hub.signs.hold(networkId, alias);
  const sign = { network_id: networkId, alias, at: hub.clock.now() };
  if (hub.signs.note(sign)) await hub.store.write((tx) => markSeen(tx, [sign]));
  return () => release(hub.clock.now());
}
