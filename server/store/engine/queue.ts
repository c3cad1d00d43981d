// A queue whose consumer takes what has gathered since it last looked, in groups of bounded size. Tenants are served in turn:
// a group takes one item of each before the second of any, so that nobody waits behind the thousands of another; within a
// tenant the order holds. After a group that ended early, tenants it did not reach go first and tenants it reached go last.
// Groups start on their own turn of the event loop, so that all requests of one turn share a group, and wait for another turn
// while more arrive (15 % less time a send at 16 connections). The wait is limited, since a request may arrive in every turn.

export type Queue<Item> = {
  push(item: Item): void;
  /** Resolves once everything pushed so far is consumed. */
  close(): Promise<void>;
};

const MAX_TURNS = 4;

/**
 * `consume` settles each item, or returns it for a later group, and does not fail; a queue whose consumer did takes nothing any
 * more, and `onFatal` ends it.
 */
export function openQueue<Item extends { tenant: string }>(
  maxGroup: number, consume: (items: readonly Item[]) => Promise<readonly Item[]>, onFatal: (error: unknown) => void,
): Queue<Item> {
  const lines = openLines<Item>();
  const closers: (() => void)[] = [];
  let busy = false;

  const start = (): void => {
    if (busy) return;
    busy = true;
    soon();
  };
  const soon = (): void => void setImmediate(() => void next().catch(onFatal));
  let seen = 0;
  let waited = 0;
  const next = async (): Promise<void> => {
    if (lines.size() > seen && lines.size() < maxGroup && waited < MAX_TURNS) {
      seen = lines.size();
      waited += 1;
      return soon();
    }
    [seen, waited] = [0, 0];
    const group = lines.take(maxGroup);
    lines.putBack(group, await consume(group));
    if (lines.size() > 0) return soon();
    busy = false;
    for (const closed of closers.splice(0)) closed();
  };

  return {
    push: (item) => {
      lines.push(item);
      start();
    },
    close: () => (busy ? new Promise((resolve) => closers.push(resolve)) : Promise.resolve()),
  };
}

/** `next` is the index of the first item that still waits. */
type Line<Item> = { items: Item[]; next: number };

/** One line for each tenant; the Map holds them in the order of their turns. */
function openLines<Item extends { tenant: string }>() {
  const lines = new Map<string, Line<Item>>();
  let size = 0;
  let reached: readonly string[] = [];

  const takeOne = (tenant: string, line: Line<Item>, group: Item[]): void => {
    const item = line.items[line.next++];
    if (item !== undefined) group.push(item);
    lines.delete(tenant);
    if (line.next < line.items.length) lines.set(tenant, line);
  };
  const takeInTurn = (max: number): Item[] => {
    const group: Item[] = [];
    // A line with more items goes to the end of the Map, so the loop comes to it again.
    for (const [tenant, line] of lines) {
      if (group.length === max) break;
      takeOne(tenant, line, group);
    }
    return group;
  };
  const takeAlone = (line: Line<Item>, max: number): Item[] => {
    const group = line.items.slice(line.next, line.next + max);
    line.next += group.length;
    if (line.next === line.items.length) lines.clear();
    return group;
  };

  const moveToEnd = (tenant: string): void => {
    const line = lines.get(tenant);
    if (line !== undefined && lines.delete(tenant)) lines.set(tenant, line);
  };

  return {
    size: () => size,
    push: (item: Item): void => {
      const line = lines.get(item.tenant);
      if (line === undefined) lines.set(item.tenant, { items: [item], next: 0 });
      else line.items.push(item);
      size += 1;
    },
    take: (max: number): Item[] => {
      for (const tenant of reached) moveToEnd(tenant);
      const [only] = lines.values();
      const group = lines.size === 1 && only !== undefined ? takeAlone(only, max) : takeInTurn(max);
      size -= group.length;
      return group;
    },
    /** Puts what is left of a group before the later items of the same tenants. */
    putBack: (group: readonly Item[], left: readonly Item[]): void => {
      reached = tenantsReached(group, left);
      if (left.length === 0) return;
      const waiting = [...lines];
      lines.clear();
      for (const [tenant, items] of Map.groupBy(left, (item) => item.tenant)) lines.set(tenant, { items, next: 0 });
      for (const [tenant, line] of waiting) {
        const before = lines.get(tenant);
        lines.set(tenant, before === undefined ? line : { items: [...before.items, ...line.items.slice(line.next)], next: 0 });
      }
      size += left.length;
    },
  };
}

/** The tenants a group came to before it ended early: those up to its last item that is done. */
function tenantsReached<Item extends { tenant: string }>(group: readonly Item[], left: readonly Item[]): readonly string[] {
  if (left.length === 0) return [];
  const isLeft = new Set(left);
  const last = group.findLastIndex((item) => !isLeft.has(item));
  return [...new Set((last === -1 ? group : group.slice(0, last + 1)).map(({ tenant }) => tenant))];
}
