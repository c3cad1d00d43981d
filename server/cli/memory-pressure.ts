// The last defence against running out of memory: when much of it is in use, the newest connections are closed until it is not.
// Every kind of request has limits of its own that should keep memory far below this; it is for what they do not foresee.
import { readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MEBIBYTE, MEMORY_LOOK_MS } from '../domain/limits.ts';
import type { Closed } from './connections.ts';

/** In bytes. */
export type MemoryUse = {
  heap: number;
  heapLimit: number;
  /** Without pages of files, which the system can take back. */
  resident: number;
  /** Whether garbage has been collected since the last look, so that `heap` is mostly what is in use. */
  isCollected: boolean;
};

export type PressureWatch = { look(): void; stop(): void };

type Options = {
  /** Memory available to the process, in bytes. */
  memory: number;
  use?: () => MemoryUse;
  /** Collects the garbage of the whole heap. */
  collect?: () => void;
  onClosed: (why: Closed) => void;
};

/** Of the heap after a collection: above the first, connections are closed until about the second is in use. */
const MAX_HEAP = 0.7;
const CALM_HEAP = 0.6;
/** Of the heap with its garbage, above which it is collected; ordinary load is collected below. */
const FULL_HEAP = 0.9;
const MAX_RESIDENT = 0.85;
/** Needed beside that by the pages of the program and the buffers of sockets. With half of it, a hub of 512 MiB read its own code from disk for minutes. */
const NOT_RESIDENT = 96 * MEBIBYTE;
/** Of what may be resident: closing goes on until about this much is. */
const CALM_RESIDENT = 0.9;
/** Of what is resident after a closing. The allocator may keep what was freed, so only further growth counts. */
const GROWTH = 1.02;
/** Hundreds of connections may come in the time between two looks. */
const ACCEPTED_PER_LOOK = 16;

/**
 * Looks ten times a second. Connections that came first stay longest: those of agents at work are older than those of an attack.
 * From a closing to the next look, when what it freed is collected, new connections are closed.
 */
export function watchMemory(server: Server, { memory, use = openMemoryUse(), collect = openCollector(), onClosed }: Options): PressureWatch {
  const maxResident = Math.min(MAX_RESIDENT * memory, memory - NOT_RESIDENT);
  const open = new Set<Socket>(); // the oldest first
  let accepted = 0;
  let isClosing = false;
  let tolerated = maxResident;
  const close = (socket: Socket): void => {
    open.delete(socket);
    onClosed('memory');
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (isClosing) close(socket);
    accepted += 1;
    if (accepted % ACCEPTED_PER_LOOK === 0) look();
  });
  const collected = (): MemoryUse => {
    collect();
    return { ...use(), isCollected: true };
  };
  const excessOf = ({ heap, heapLimit, resident, isCollected }: MemoryUse): number => {
    if (isCollected && heap > MAX_HEAP * heapLimit) return (heap - CALM_HEAP * heapLimit) / heap;
    return resident > tolerated ? (resident - CALM_RESIDENT * maxResident) / resident : 0;
  };
  const look = (): void => {
    let now = use();
    if (isClosing || now.heap > FULL_HEAP * now.heapLimit) now = collected();
    const kept = GROWTH * now.resident;
    tolerated = Math.max(maxResident, isClosing ? kept : Math.min(kept, tolerated));
    const excess = excessOf(now);
    isClosing = excess > 0 && open.size > 0;
    if (isClosing) [...open].slice(-Math.ceil(open.size * excess)).forEach(close);
  };
  const timer = setInterval(look, MEMORY_LOOK_MS).unref();
  return { look, stop: () => clearInterval(timer) };
}

/**
 * V8 has no other way to ask for a collection in a process that runs. The flag is set when it is first needed, since V8 takes compiled
 * code only under the flags it was compiled with.
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
  let uncollected = new WeakRef({}); // cleared by a collection of the whole heap only, not by those of young objects
  return () => {
    const isCollected = uncollected.deref() === undefined;
    if (isCollected) uncollected = new WeakRef({});
    const { used_heap_size: heap, heap_size_limit: heapLimit } = getHeapStatistics();
    return { heap, heapLimit, resident: residentBytes(), isCollected };
  };
}

function residentBytes(): number {
  try {
    return 1_024 * Number(/^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? 0);
  } catch {
    return 0; // not Linux; the heap is watched all the same
  }
}
