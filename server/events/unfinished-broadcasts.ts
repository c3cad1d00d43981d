// Large broadcasts that were acknowledged but have not reached all recipients yet. A network delivers one at a time;
// new ones wait for it, so that they do not pile up.

export type UnfinishedBroadcasts = {
  /** Resolves when the network has no broadcast in delivery. Returns whether it had to wait. */
  waitFor(networkId: string): Promise<boolean>;
  /** Delivers the rest of a broadcast, after those that were started before it. */
  deliver(networkId: string, broadcastSeq: number, userId: string): void;
  /** Resolves when no broadcast is in delivery. */
  waitForAll(): Promise<void>;
};

type Finish = (networkId: string, broadcastSeq: number, userId: string) => Promise<void>;

/** A delivery that fails is reported to `onError` and finished later by a sweep. */
export function openUnfinishedBroadcasts(finish: Finish, onError: (error: unknown) => void): UnfinishedBroadcasts {
  const running = new Map<string, Promise<void>>();
  const finishAfter = async (before: Promise<void> | undefined, ...broadcast: Parameters<Finish>): Promise<void> => {
    await before;
    await finish(...broadcast).catch(onError);
  };
  return {
    waitFor: async (networkId) => {
      const hasToWait = running.has(networkId);
      while (running.has(networkId)) await running.get(networkId);
      return hasToWait;
    },
    deliver: (networkId, ...broadcast) => {
      const delivered = finishAfter(running.get(networkId), networkId, ...broadcast);
      running.set(networkId, delivered);
      void delivered.then(() => {
        if (running.get(networkId) === delivered) running.delete(networkId);
      });
    },
    waitForAll: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
  };
}
