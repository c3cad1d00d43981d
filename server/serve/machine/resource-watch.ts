// Watches what a hub can run out of: disk space, file descriptors, the time of the disk and of the event loop. It runs
// all the time, so that a probe of readiness only looks up the result.
import {
  DISK_LOW_BYTES,
  LEAST_FREE_DESCRIPTORS,
  LOOP_STALL_MS,
  RESOURCES_LOOK_MS,
  WRITES_STALLED_MS,
} from '../../domain/limits.ts';
import { MINUTE_MS, SECOND_MS } from '../../domain/time/time.ts';
import { noteLag } from '../../events/metrics.ts';
import type { Hub } from '../../hub.ts';
import { isOutOfDescriptors, readDescriptors } from './descriptors.ts';

export type ResourceWatch = { stop(): void };

export function watchResources(hub: Hub): ResourceWatch {
  const look = (): void => {
    checkSpace(hub);
    checkFile(hub);
    checkQueues(hub);
    checkDescriptors(hub);
  };
  look();
  const timer = setInterval(look, RESOURCES_LOOK_MS).unref();
  const stalls = watchEventLoop(hub);
  return {
    stop: () => {
      clearInterval(timer);
      stalls.stop();
    },
  };
}

function checkSpace({ store, troubles }: Hub): void {
  const disk = store.disk();
  const facts = disk === undefined ? {} : { free_bytes: disk.free };
  troubles.report('storage_full', store.isFull(), facts);
  troubles.report('disk_low', disk !== undefined && disk.free < DISK_LOW_BYTES, facts);
}

function checkFile({ store, troubles }: Hub): void {
  troubles.report('database_gone', store.isGone());
}

function checkQueues({ store, troubles }: Hub): void {
  const { count, ageMs } = store.queues().writes;
  const isStalled = ageMs > WRITES_STALLED_MS;
  const isOfServer = store.cluster?.holdsUpWrites() ?? false;
  troubles.report('writes_stalled', isStalled && !isOfServer, { waiting: count });
  troubles.report('database_stalled', isStalled && isOfServer, { waiting: count });
  troubles.report('database_lost', store.cluster?.hubs().length === 0);
}

function checkDescriptors({ troubles }: Hub): void {
  const descriptors = readDescriptors();
  const isLow = descriptors !== undefined && descriptors.max - descriptors.open < LEAST_FREE_DESCRIPTORS;
  troubles.report('descriptors_low', isLow || isOutOfDescriptors(), descriptors);
}

const TICK_MS = SECOND_MS / 4;

/** Counts ticks that come late. A stall is reported as present for a minute after the last one. */
function watchEventLoop({ metrics, troubles }: Hub): ResourceWatch {
  let expected = performance.now() + TICK_MS;
  let until = 0;
  const tick = (): void => {
    const now = performance.now();
    const late = now - expected;
    expected = now + TICK_MS;
    noteLag(metrics, late);
    if (late > LOOP_STALL_MS) {
      metrics.stalls.count += 1;
      metrics.stalls.seconds += late / SECOND_MS;
      until = now + MINUTE_MS;
    }
    troubles.report('event_loop_stalled', now < until, { stall_ms: Math.round(late) });
  };
  const timer = setInterval(tick, TICK_MS).unref();
  return { stop: () => clearInterval(timer) };
}
