// The effects of an attack on the other tenant and on the process that serves both: errors, latency, stalls and
// memory.
import { setTimeout as after } from 'node:timers/promises';
import type { Account } from '../../../test/support/http/rest-client.ts';
import type { Hub } from '../hub.ts';
import { complaint, type Size } from '../row.ts';
import { healthOf, ownBytes } from './health.ts';
import { percentile, type Seen, startNeighbor } from './neighbor.ts';

export const MAX_P99_MS = 50;
export const MAX_STALL_MS = 50;
/** For a request on a new connection, which waits until all earlier connections have been accepted. */
export const MAX_NEWCOMER_MS = 1_000;
const WATCH_MS = 50;
const EXIT_GRACE_MS = 5_000;

/** Times in milliseconds. `grown` is the peak growth in bytes. */
export type Impact = {
  p99: number;
  stall: number;
  newcomer: number;
  grown: number;
  tasks: readonly string[];
  complaints: readonly string[];
};

/** Throws when the hub exits meanwhile. */
export function measureImpact(
  hub: Hub,
  neighbor: Account,
  size: Size,
  attack: () => Promise<readonly string[]>,
): Promise<Impact> {
  return whileAlive(hub, () => measure(hub, neighbor, size, attack));
}

async function measure(
  hub: Hub,
  neighbor: Account,
  size: Size,
  attack: () => Promise<readonly string[]>,
): Promise<Impact> {
  const memory = watchMemory(hub);
  await healthOf(hub); // resets the longest stall
  const next = await startNeighbor(hub, neighbor);
  const outcome = await whileAlive(hub, attack).then(
    (found) => ({ found }),
    (error: unknown) => ({ error }),
  );
  const seen = await next.stop();
  const grown = memory.stop();
  if ('error' in outcome) throw outcome.error;
  // Each is an upper bound: the hub's own measure includes waiting for a processor, and a probe can take more than one
  // turn.
  const stall = Math.min((await healthOf(hub)).stallMs, Math.max(0, ...seen.probes));
  const p99 = percentile(seen.latencies, 0.99);
  const newcomer = Math.max(0, ...seen.newcomers);
  return {
    p99,
    stall,
    newcomer,
    grown,
    tasks: seen.tasks,
    complaints: [...outcome.found, ...complaintsOf(size, seen, { p99, stall, newcomer })],
  };
}

/** Fails with the exit of the hub when it exits meanwhile, or did just before another failure. */
export async function whileAlive<Found>(hub: Hub, act: () => Promise<Found>): Promise<Found> {
  const end = hub.ended.then(({ code, signal }) =>
    Promise.reject(new Error(`the hub exited with ${signal ?? code}: ${lastLine(hub)}`)),
  );
  const first = Promise.race([act(), end]);
  return first.catch((error: unknown) => Promise.race([end, after(EXIT_GRACE_MS).then(() => Promise.reject(error))]));
}

/** The line with the reason, above its stack trace. */
function lastLine(hub: Hub): string {
  const lines = `${hub.stdout()}\n${hub.stderr()}`.trim().split('\n');
  return (lines.findLast((line) => /fatal|\w*Error: /i.test(line)) ?? lines.at(-1) ?? '').slice(0, 300);
}

function watchMemory({ pid }: Hub) {
  const before = ownBytes(pid);
  let peak = before;
  const look = (): void => void (peak = Math.max(peak, ownBytes(pid)));
  const watching = setInterval(look, WATCH_MS);
  return {
    stop: (): number => {
      clearInterval(watching);
      return peak - before;
    },
  };
}

type Times = Pick<Impact, 'p99' | 'stall' | 'newcomer'>;

function complaintsOf(size: Size, { refused, tasks }: Seen, { p99, stall, newcomer }: Times): string[] {
  const isTimed = size !== 'least'; // which runs while other tests run
  return [
    ...complaint('the other tenant was refused', refused),
    ...(tasks.length === 0 ? ['void: the other tenant sent nothing'] : []),
    ...(isTimed && p99 > MAX_P99_MS ? [`p99 of the other tenant was ${p99.toFixed(0)} ms`] : []),
    ...(isTimed && stall > MAX_STALL_MS ? [`the event loop stalled for ${stall.toFixed(0)} ms`] : []),
    ...(isTimed && newcomer > MAX_NEWCOMER_MS ? [`a new connection waited ${newcomer.toFixed(0)} ms`] : []),
  ];
}
