// Closes connections when memory is nearly exhausted. Other limits should keep memory far below this point, but they
// rely on measured averages; this covers the exceptions.
import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MEBIBYTE, MEMORY_LOOK_MS } from '../../domain/limits.ts';
import { openTrim } from '../../native/allocator.ts';
import type { Closed } from './eviction.ts';

/** In bytes. */
export type MemoryUse = {
  heap: number;
  heapLimit: number;
  /** Buffers outside of the heap, garbage included. */
  external: number;
  /** Without file pages, which the system can reclaim. */
  resident: number;
  /** Whether a full garbage collection has run since the last check, so that `heap` is mostly live objects. */
  isCollected: boolean;
};

export type PressureWatch = { look(): MemoryUse; stop(): void };

type Options = {
  /** Memory available to the process, in bytes. */
  memory: number;
  use?: () => MemoryUse;
  /** Collects the garbage of the whole heap. */
  collect?: () => void;
  /** Gives freed memory back to the system. */
  trim?: () => void;
  onClosed: (why: Closed) => void;
  /** The user or client that a connection belongs to. */
  holderOf?: (socket: Socket) => string;
  /** Whether it has never had a valid token. */
  isStranger?: (socket: Socket) => boolean;
};

/** Fractions of the heap in use after a collection: above the first, connections are closed to reach the second. */
const MAX_HEAP = 0.7;
const TARGET_HEAP = 0.6;
/** Fraction of the heap, garbage included, above which a collection is forced. V8 normally collects earlier. */
const FULL_HEAP = 0.9;
/**
 * Fraction of the resident limit from which buffers are collected once they have grown by this fraction of memory: V8
 * lets those of discarded bodies grow to hundreds of megabytes, whatever the process may use.
 */
const COLLECTED_FROM = 0.6;
const MAX_EXTERNAL_GROWTH = 0.1;
/** Fraction of memory that may be resident, not counting file pages. */
const MAX_RESIDENT = 0.85;
/** Freed memory is given back every 10 seconds: what follows a burst is freed later, and without growth. */
const LOOKS_PER_TRIM = 10_000 / MEMORY_LOOK_MS;
/** It is given back earlier when this much more is resident, but not more than once a second while memory is left. */
const TRIMMED_GROWTH = 32 * MEBIBYTE;
const LOOKS_OF_GROWTH = 1_000 / MEMORY_LOOK_MS;
/**
 * Memory kept free for the pages of the program and for socket buffers. With half of it, a hub with 512 MiB spent
 * minutes reading its own code from disk.
 */
const NOT_RESIDENT = 128 * MEBIBYTE;
/** But this fraction may be resident in any case: a hub without load takes 95 MB. */
const LEAST_RESIDENT = 0.625;
/** Fraction of the resident limit that closing connections aims for. */
const TARGET_RESIDENT = 0.9;
/**
 * The allocator may keep freed memory, and what fills the heap may belong to no connection. After connections were
 * closed, only growth beyond this factor closes more.
 */
const GROWTH = 1.02;
/** How often memory is checked while it is scarce: many bodies at once filled 90 MiB in 300 ms. */
const SCARCE_LOOK_MS = 25;
/** A client that has fewer connections may open one even while others are closed. */
const ACCEPTED_WHILE_CLOSING = 4;
/** Hundreds of connections can arrive between two timer ticks, so memory is also checked after this many. */
const ACCEPTED_PER_CHECK = 16;

/**
 * Checks memory ten times a second, and more often while it is scarce. Closes connections of those who have the most
 * first, and the newest of each, because those of working agents are older than those of an attack. After connections
 * were closed, new ones of clients with several are closed too until the next check, which first collects garbage.
 */
export function watchMemory(
  server: Server,
  {
    memory,
    use = openMemoryUse(),
    collect = openCollector(),
    trim = openTrim(),
    onClosed,
    holderOf = () => '',
    isStranger = () => false,
  }: Options,
): PressureWatch {
  const maxResident = Math.min(MAX_RESIDENT * memory, Math.max(memory - NOT_RESIDENT, LEAST_RESIDENT * memory));
  const open = new Set<Socket>(); // oldest first
  let accepted = 0;
  let isClosing = false;
  let tolerated = maxResident;
  let toleratedHeap = 0;
  let external = Infinity; // the least since the last collection
  let trimmedTo = Infinity; // the least resident memory since the last trim
  let looks = 0; // since the last trim
  const close = (socket: Socket): void => {
    open.delete(socket);
    onClosed('memory');
    socket.destroy();
  };
  const openOf = new Map<string, number>(); // by the holder of new connections
  const count = (holder: string, change: number): number => {
    const left = (openOf.get(holder) ?? 0) + change;
    if (left === 0) openOf.delete(holder);
    else openOf.set(holder, left);
    return left;
  };
  server.on('connection', (socket: Socket) => {
    const holder = holderOf(socket);
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      count(holder, -1);
    });
    if (count(holder, 1) > ACCEPTED_WHILE_CLOSING && isClosing) close(socket);
    accepted += 1;
    if (accepted % ACCEPTED_PER_CHECK === 0) look();
  });
  const collected = (): MemoryUse => {
    collect();
    const now = { ...trimmed(), isCollected: true };
    external = now.external;
    return now;
  };
  const trimmed = (): MemoryUse => {
    trim();
    const now = use();
    trimmedTo = now.resident;
    looks = 0;
    return now;
  };
  const isTrimDue = ({ resident }: MemoryUse): boolean => {
    if (looks >= LOOKS_PER_TRIM) return true;
    const mayGrow = looks < LOOKS_OF_GROWTH && resident <= COLLECTED_FROM * maxResident;
    return !mayGrow && resident > trimmedTo + TRIMMED_GROWTH;
  };
  const isFull = (now: MemoryUse): boolean =>
    now.heap > FULL_HEAP * now.heapLimit ||
    (now.resident > COLLECTED_FROM * maxResident && now.external > external + MAX_EXTERNAL_GROWTH * memory);
  const excessOf = ({ heap, heapLimit, resident, isCollected }: MemoryUse): number => {
    if (isCollected && heap > toleratedHeap) return (heap - TARGET_HEAP * heapLimit) / heap;
    return resident > tolerated ? (resident - TARGET_RESIDENT * maxResident) / resident : 0;
  };
  const look = (): MemoryUse => {
    let now = use();
    external = Math.min(external, now.external);
    trimmedTo = Math.min(trimmedTo, now.resident);
    looks += 1;
    if (isClosing || isFull(now) || now.resident > tolerated) now = collected();
    else if (isTrimDue(now)) now = { ...trimmed(), isCollected: now.isCollected };
    const lower = (kept: number, before: number): number => (isClosing ? kept : Math.min(kept, before));
    tolerated = Math.max(maxResident, lower(GROWTH * now.resident, tolerated));
    toleratedHeap = Math.max(MAX_HEAP * now.heapLimit, lower(GROWTH * now.heap, toleratedHeap));
    const excess = excessOf(now);
    isClosing = excess > 0 && open.size > 0;
    if (isClosing) leastMissed(open, { holderOf, isStranger }, Math.ceil(open.size * excess)).forEach(close);
    return now;
  };
  let timer: NodeJS.Timeout;
  const lookAgain = (): void => {
    const { resident } = look();
    timer = setTimeout(lookAgain, resident > COLLECTED_FROM * maxResident ? SCARCE_LOOK_MS : MEMORY_LOOK_MS).unref();
  };
  timer = setTimeout(lookAgain, MEMORY_LOOK_MS).unref();
  return { look, stop: () => clearTimeout(timer) };
}

/** With more of all connections, strangers are a flood, which can come from any number of addresses. */
const FLOOD_SHARE = 1 / 4;

type Ranking = Required<Pick<Options, 'holderOf' | 'isStranger'>>;

/**
 * Connections without which the holders of the most have as many as others; of each, the newest. If strangers are a
 * flood, theirs come first.
 */
function leastMissed(open: ReadonlySet<Socket>, { holderOf, isStranger }: Ranking, count: number): Socket[] {
  const strangers = new Set([...open].filter(isStranger));
  const isFlood = strangers.size > FLOOD_SHARE * open.size;
  const seen = new Map<string, number>();
  const ranked = [...open].map((socket) => {
    const holder = holderOf(socket);
    const rank = (seen.get(holder) ?? 0) + 1;
    seen.set(holder, rank);
    return { socket, rank: isFlood && strangers.has(socket) ? rank + open.size : rank };
  });
  const sorted = ranked.reverse().sort((one, other) => other.rank - one.rank);
  return sorted.slice(0, count).map(({ socket }) => socket);
}

/**
 * V8 offers no other way to request a collection at run time. The flag is set only when it is first needed: V8 accepts
 * cached code only under the flags it was compiled with.
 */
function openCollector(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    setFlagsFromString('--expose-gc');
    collect ??= runInNewContext('gc') as () => void;
    collect();
  };
}

function openMemoryUse(): () => MemoryUse {
  let uncollected = new WeakRef({}); // only a full collection clears it, not one of the young generation
  return () => {
    const isCollected = uncollected.deref() === undefined;
    if (isCollected) uncollected = new WeakRef({});
    const { used_heap_size: heap, heap_size_limit: heapLimit, external_memory: external } = getHeapStatistics();
    return { heap, heapLimit, external, resident: residentBytes(), isCollected };
  };
}

function residentBytes(): number {
  try {
    return 1_024 * Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // not Linux; only the heap is checked
  }
}
