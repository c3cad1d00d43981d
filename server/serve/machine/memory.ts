// How much memory the hub may use, and how far this scales down its limits.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { MEBIBYTE } from '../../domain/limits.ts';

/** With less memory, the limits for bodies, responses and batches (400 MiB in total) are scaled down. */
const MEMORY_FOR_ALL = 2 * 1024 * MEBIBYTE;
/** Memory for the hub itself; the limits scale with the rest. */
const MEMORY_OF_HUB = 256 * MEBIBYTE;
/** The largest possible response, 8 MiB, still fits. */
const MIN_MEMORY_SHARE = 1 / 8;

/** The smallest of the cgroup limit, physical memory and twice the V8 heap limit, in bytes. */
export function memoryLimit(): number {
  const group = process.constrainedMemory();
  return Math.min(group > 0 ? group : Infinity, totalmem(), 2 * getHeapStatistics().heap_size_limit);
}

/** The scale factor for the memory limits of a hub with this many bytes of memory. */
export function memoryShareOf(memory: number): number {
  return Math.min(1, Math.max(MIN_MEMORY_SHARE, (memory - MEMORY_OF_HUB) / (MEMORY_FOR_ALL - MEMORY_OF_HUB)));
}
