// A queue whose consumer takes the waiting items in groups of limited size, in the order of usage.ts. Within a group
// each item counts its expected cost. The order within a tenant is kept. Groups start on their own turn of the event
// loop, so that all requests of one turn share a group, and wait for another turn while more arrive (15% less time per
// send at 16 connections). The wait is limited, since a request may arrive in every turn. Between groups, arriving
// connections are let in.
import { yieldToConnections } from '../../domain/time/turn-share.ts';
import type { Party, Usage } from './usage.ts';

export type Queue<Item> = {
  push(item: Item): void;
  /** The number of items that are not settled, and when the oldest of them was pushed. */
  waiting(): Waiting;
  /** Keeps only these of the items that no group has taken yet. */
  sift(keep: (items: readonly Item[]) => readonly Item[]): void;
  /** Resolves once everything pushed so far is consumed. */
  close(): Promise<void>;
};

export type Waiting = { count: number; oldest: number | undefined };

/** `queuedAt` is a moment of the caller's clock. */
type Queued = Party & { queuedAt: number };

export type Join<Item> = (fits: (item: Item) => boolean) => readonly Item[];

const MAX_TURNS = 4;

export type QueueOptions<Item> = {
  maxGroup: number;
  /** How long a group waits for more items at most. A turn takes long while large responses are encoded. */
  maxWaitMs: number;
  /**
   * Settles each item, charging `usage` for it, or returns it for a later group. It does not fail. `join` adds those to
   * the group that have arrived since and fit into it.
   */
  consume: (items: readonly Item[], join: Join<Item>) => Promise<readonly Item[]>;
  usage: Usage;
  /** Called if `consume` fails nevertheless. The queue then accepts nothing more. */
  onFatal: (error: unknown) => void;
};

export function openQueue<Item extends Queued>({
  maxGroup,
  maxWaitMs,
  consume,
  usage,
  onFatal,
}: QueueOptions<Item>): Queue<Item> {
  const lines = openLines<Item>(usage);
  const closers: (() => void)[] = [];
  let busy = false;
  let running: readonly Item[] = [];

  const start = (): void => {
    if (busy) return;
    busy = true;
    begin();
  };
  const soon = (): void => void setImmediate(() => void next().catch(onFatal));
  let seen = 0;
  let waited = 0;
  let begun = 0;
  const begin = (): void => {
    [seen, waited, begun] = [0, 0, performance.now()];
    soon();
  };
  /** The remaining items have waited a turn already. */
  const proceed = (): void => {
    seen = lines.size();
    void next().catch(onFatal);
  };
  const isGrowing = (): boolean => lines.size() > seen && lines.size() < maxGroup;
  const join: Join<Item> = (fits) => {
    const { taken, left } = divided(lines.take(maxGroup - running.length), fits);
    lines.putBack(left);
    running = [...running, ...taken];
    return taken;
  };
  const next = async (): Promise<void> => {
    if (isGrowing() && waited < MAX_TURNS && performance.now() - begun < maxWaitMs) {
      seen = lines.size();
      waited += 1;
      return soon();
    }
    running = lines.take(maxGroup);
    lines.putBack(await consume(running, join));
    running = [];
    if (lines.size() > 0) return yieldToConnections(proceed);
    usage.restart();
    busy = false;
    for (const closed of closers.splice(0)) closed();
  };

  return {
    push: (item) => {
      lines.push(item);
      start();
    },
    waiting: () => {
      const moments = [...running, ...lines.first()].map(({ queuedAt }) => queuedAt);
      return {
        count: running.length + lines.size(),
        oldest: moments.length === 0 ? undefined : Math.min(...moments),
      };
    },
    sift: (keep) => lines.putBack(keep(lines.takeAll())),
    close: () => (busy ? new Promise((resolve) => closers.push(resolve)) : Promise.resolve()),
  };
}

/** Those of a tenant after one that does not fit are left, too. */
function divided<Item extends Party>(items: readonly Item[], fits: (item: Item) => boolean) {
  const [taken, left]: [Item[], Item[]] = [[], []];
  const behind = new Set<string>();
  for (const item of items) {
    if (!fits(item)) behind.add(item.tenant);
    (behind.has(item.tenant) ? left : taken).push(item);
  }
  return { taken, left };
}

/** `next` is the index of the first waiting item. */
type Line<Item> = { items: Item[]; next: number };

/** A line while a group is assembled. `tag` includes the expected cost of what the group has taken from it. */
type Candidate<Item> = { line: Line<Item>; tag: number; cost: number };

/** One line per tenant. */
function openLines<Item extends Party>(usage: Usage) {
  let lines = new Map<string, Line<Item>>();
  let size = 0;

  /**
   * A Map keeps its former table when it shrinks, and that refers to the next one. Once V8 has moved one such table to
   * the old generation, everything in those after it lives until a major collection.
   */
  const end = (tenant: string, line: Line<Item>): void => {
    if (lines.size === 1) lines = new Map();
    else lines.delete(tenant);
    line.items = [];
  };

  const candidateOf = (line: Line<Item>): Candidate<Item>[] => {
    const first = line.items[line.next];
    return first === undefined ? [] : [{ line, tag: usage.tagOf(first), cost: usage.costOf(first.tenant) }];
  };
  /** Among those whose tag is reached, the least expected end comes first; then the least tag. */
  const compare = (one: Candidate<Item>, other: Candidate<Item>): number => {
    const [isReached, isOtherReached] = [one.tag <= usage.clock(), other.tag <= usage.clock()];
    if (isReached !== isOtherReached) return isReached ? -1 : 1;
    return isReached ? one.tag + one.cost - other.tag - other.cost : one.tag - other.tag;
  };
  const takeByUsage = (max: number): Item[] => {
    const group: Item[] = [];
    const all = [...lines.values()].flatMap(candidateOf);
    usage.begin(all.length, Math.min(...all.map(({ tag }) => tag)));
    const candidates = new Set(all.sort(compare).slice(0, max));
    while (group.length < max && candidates.size > 0) {
      const first = [...candidates].reduce((best, each) => (compare(each, best) < 0 ? each : best));
      const item = first.line.items[first.line.next++];
      if (item === undefined) break;
      group.push(item);
      first.tag += first.cost;
      if (first.line.next < first.line.items.length) continue;
      candidates.delete(first);
      end(item.tenant, first.line);
    }
    return group;
  };
  const takeAlone = (tenant: string, line: Line<Item>, max: number): Item[] => {
    const group = line.items.slice(line.next, line.next + max);
    line.next += group.length;
    if (line.next === line.items.length) end(tenant, line);
    return group;
  };

  return {
    size: () => size,
    /** The oldest item of each tenant. */
    first: (): Item[] => [...lines.values()].flatMap(({ items, next }) => items[next] ?? []),
    push: (item: Item): void => {
      const line = lines.get(item.tenant);
      if (line === undefined) lines.set(item.tenant, { items: [item], next: 0 });
      else line.items.push(item);
      size += 1;
    },
    take: (max: number): Item[] => {
      const [only] = lines;
      const group = lines.size === 1 && only !== undefined ? takeAlone(...only, max) : takeByUsage(max);
      size -= group.length;
      return group;
    },
    takeAll: (): Item[] => {
      const all = [...lines.values()].flatMap(({ items, next }) => items.slice(next));
      for (const [tenant, line] of lines) end(tenant, line);
      size = 0;
      return all;
    },
    /** Puts the remaining items of a group before the later items of the same tenants. */
    putBack: (left: readonly Item[]): void => {
      for (const [tenant, items] of Map.groupBy(left, (item) => item.tenant)) {
        const line = lines.get(tenant);
        lines.set(tenant, { items: line === undefined ? items : [...items, ...line.items.slice(line.next)], next: 0 });
      }
      size += left.length;
    },
  };
}
