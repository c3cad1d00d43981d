// Renames of agents, each of which moves tasks and messages in several commits. A network makes one at a time: two at
// once would move the same rows back and forth, without either of them ending.

export type Renames = {
  /** Runs the rename after all earlier ones of its network. */
  inTurn<T>(networkId: string, rename: () => Promise<T>): Promise<T>;
  isRunning(networkId: string): boolean;
};

export function openRenames(): Renames {
  const last = new Map<string, Promise<unknown>>();
  return {
    inTurn: (networkId, rename) => {
      const renamed = (last.get(networkId) ?? Promise.resolve()).then(rename);
      const ended = renamed.catch(() => {}); // reported to its caller
      last.set(networkId, ended);
      void ended.then(() => {
        if (last.get(networkId) === ended) last.delete(networkId);
      });
      return renamed;
    },
    isRunning: (networkId) => last.has(networkId),
  };
}
