// Large broadcasts that were acknowledged and have not reached everybody yet. Those of a network are delivered one after the other, and a
// new one waits until none is left, so that they never pile up.

export type UnfinishedBroadcasts = {
  /** Resolves once nothing is being delivered in the network. Returns whether it had to wait. */
  turn(networkId: string): Promise<boolean>;
  /** Delivers the rest of a broadcast, after those that began before. */
  begin(networkId: string, broadcastSeq: number): void;
  /** Resolves once nothing is being delivered. */
  idle(): Promise<void>;
};

/** What fails is told to `onError` and left to the sweep that finishes broadcasts. */
export function openUnfinishedBroadcasts(finish: (networkId: string, broadcastSeq: number) => Promise<void>, onError: (error: unknown) => void): UnfinishedBroadcasts {
  const running = new Map<string, Promise<void>>();
  const deliver = async (before: Promise<void> | undefined, networkId: string, broadcastSeq: number): Promise<void> => {
    await before;
    await finish(networkId, broadcastSeq).catch(onError);
  };
  return {
    turn: async (networkId) => {
      const hasWaited = running.has(networkId);
      while (running.has(networkId)) await running.get(networkId);
      return hasWaited;
    },
    begin: (networkId, broadcastSeq) => {
      const delivered = deliver(running.get(networkId), networkId, broadcastSeq);
      running.set(networkId, delivered);
      void delivered.then(() => {
        if (running.get(networkId) === delivered) running.delete(networkId);
      });
    },
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
