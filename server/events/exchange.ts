// What hubs on one database tell each other of what they keep only in memory, so that it holds over all of them. A hub
// learns of it within some 20 ms, or 5 if it is urgent, not before it answers the next request, and may never: nothing
// here is the only copy of a fact. A hub on a file is alone, and tells nobody.
import type { Gossip, GossipValue } from '../domain/events.ts';

export type Exchange = {
  /**
   * `take` is called with what other hubs tell of this topic. Returns what tells them. Urgent is what counts against a
   * limit that keeps somebody out.
   */
  share<Values extends readonly GossipValue[]>(
    topic: string,
    take: (...values: Values) => void,
    isUrgent?: boolean,
  ): (...values: Values) => void;
  /** Takes what another hub has told. Topics of a newer version are ignored. */
  receive(gossip: readonly Gossip[]): void;
  /** Set once the database is open. */
  tell: (gossip: Gossip, isUrgent: boolean) => void;
};

export function openExchange(): Exchange {
  const takers = new Map<string, (values: readonly GossipValue[]) => void>();
  const exchange: Exchange = {
    share: <Values extends readonly GossipValue[]>(
      topic: string,
      take: (...values: Values) => void,
      isUrgent = false,
    ) => {
      takers.set(topic, (values) => take(...(values as Values)));
      return (...values) => exchange.tell([topic, ...values], isUrgent);
    },
    receive: (gossip) => {
      for (const [topic, ...values] of gossip) takers.get(topic)?.(values);
    },
    tell: () => {},
  };
  return exchange;
}
