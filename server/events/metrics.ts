// The in-memory metrics of the hub. Counting takes nanoseconds, and callers cannot choose labels, so memory is bounded.
import { HubError } from '../domain/errors.ts';
import type { Stage } from '../domain/message.ts';
import type { Millis } from '../domain/time/clock.ts';
import { HOUR_MS } from '../domain/time/time.ts';

/** A histogram: counts by upper bound, and the sum of all values. */
export type Distribution = { readonly bounds: readonly number[]; counts: number[]; sum: number };

export type Call = { ok: number; refused: number; seconds: Distribution };
export type Route = { method: string; path: string; statuses: Map<number, number>; seconds: Distribution };
export type Sweep = { runs: number; failures: number; rows: number; seconds: number };

export type SlowRequest = { at: Millis; request_id: string; method: string; route: string; status: number; ms: number };

export type Metrics = {
  /** By `METHOD /path/:pattern`. */
  routes: Map<string, Route>;
  /** By wire name. */
  operations: Map<string, Call>;
  deliveries: Record<Stage, number>;
  /** Sends that the hub failed to store, by error code. */
  failedSends: Record<FailedSend, number>;
  /** Attempts to send to notifiers, by outcome. */
  notifications: { delivered: number; retried: number; failed: number };
  /** Writes per commit, and the duration of commits. */
  groups: Distribution;
  commits: Distribution;
  /** Groups of writes that ran again because one of them failed after writing. */
  repeatedGroups: number;
  sweeps: Map<string, Sweep>;
  failedLogins: number;
  /** Streams closed because their reader fell behind. */
  slowReaders: number;
  /** Closed connections, by reason; see `Closed` in serve/listener/eviction.ts. */
  connections: Record<'unread' | 'refused' | 'idle' | 'pipelined' | 'memory' | 'aborted' | 'bodies', number>;
  /** Responses aborted or refused because too many were unread. */
  unreadResponses: { cutOff: number; refused: number };
  /** The slowest requests of the last hour, slowest first. */
  slowest: SlowRequest[];
  /** Times that the event loop was late by over half a second, and by how much in total. */
  stalls: { count: number; seconds: number };
  /** How late the event loop was at each of the last looks, about a minute of them, in milliseconds. */
  loopLag: number[];
  /** Unhandled errors. */
  unexpected: { rejection: number; exception: number };
};

/** The operations that send, and what they send. */
export const SENDS: Readonly<Record<string, string>> = {
  send_task: 'task',
  send_message: 'message',
  send_reply: 'reply',
  reply_to_task: 'reply_to_task',
  broadcast: 'broadcast',
};

/** The errors of a send that are the hub's, not the sender's. */
export type FailedSend = 'storage_full' | 'database_gone' | 'unavailable' | 'internal_error';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const JOBS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export function openMetrics(): Metrics {
  return {
    routes: new Map(),
    operations: new Map(),
    sweeps: new Map(),
    groups: distribution(JOBS),
    commits: distribution(SECONDS),
    repeatedGroups: 0,
    failedLogins: 0,
    slowReaders: 0,
    connections: { unread: 0, refused: 0, idle: 0, pipelined: 0, memory: 0, aborted: 0, bodies: 0 },
    unreadResponses: { cutOff: 0, refused: 0 },
    slowest: [],
    stalls: { count: 0, seconds: 0 },
    loopLag: [],
    unexpected: { rejection: 0, exception: 0 },
    notifications: { delivered: 0, retried: 0, failed: 0 },
    failedSends: { storage_full: 0, database_gone: 0, unavailable: 0, internal_error: 0 },
    deliveries: { stored: 0, pushed: 0, fetched: 0, acknowledged: 0, started: 0, settled: 0 },
  };
}

function distribution(bounds: readonly number[]): Distribution {
  return { bounds, counts: Array.from({ length: bounds.length + 1 }, () => 0), sum: 0 };
}

const LAGS = 240;

export function noteLag({ loopLag }: Metrics, ms: number): void {
  loopLag.push(Math.max(0, ms));
  if (loopLag.length > LAGS) loopLag.shift();
}

/** The 99th percentile of the last minute, in milliseconds. */
export function recentLag({ loopLag }: Metrics): number {
  const sorted = loopLag.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0) * 10) / 10;
}

export function observe(seen: Distribution, value: number): void {
  const { bounds, counts } = seen;
  let index = 0;
  while (index < bounds.length && value > (bounds[index] ?? 0)) index += 1;
  counts[index] = (counts[index] ?? 0) + 1;
  seen.sum += value;
}

/** `path` is the route pattern, never the requested path. */
export function countRequest({ routes }: Metrics, method: string, path: string, status: number, seconds: number): void {
  const key = `${method} ${path}`;
  const route =
    routes.get(key) ??
    added(routes, key, { method, path, statuses: new Map<number, number>(), seconds: distribution(SECONDS) });
  route.statuses.set(status, (route.statuses.get(status) ?? 0) + 1);
  observe(route.seconds, seconds);
}

export function countOperation(
  { operations }: Metrics,
  name: string,
  outcome: 'ok' | 'refused',
  seconds: number,
): void {
  const call = operations.get(name) ?? added(operations, name, { ok: 0, refused: 0, seconds: distribution(SECONDS) });
  call[outcome] += 1;
  observe(call.seconds, seconds);
}

/** Any error that is not in the interface is internal. */
export function countFailure({ failedSends }: Metrics, name: string, error: unknown): void {
  if (!Object.hasOwn(SENDS, name)) return;
  const code = error instanceof HubError ? error.code : 'internal_error';
  if (isFailure(code, failedSends)) failedSends[code] += 1;
}

function isFailure(code: string, counted: Metrics['failedSends']): code is FailedSend {
  return Object.hasOwn(counted, code);
}

/** `rows` is undefined for a failed sweep. */
export function countSweep({ sweeps }: Metrics, name: string, rows: number | undefined, seconds: number): void {
  const sweep = sweeps.get(name) ?? added(sweeps, name, { runs: 0, failures: 0, rows: 0, seconds: 0 });
  sweep.runs += 1;
  sweep.failures += rows === undefined ? 1 : 0;
  sweep.rows += rows ?? 0;
  sweep.seconds += seconds;
}

function added<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}

/** Records commit statistics of the store. */
export function meterInto(metrics: Metrics) {
  const { groups, commits, deliveries } = metrics;
  return {
    repeated: (): void => void (metrics.repeatedGroups += 1),
    committed: (jobs: number, seconds: number): void => {
      observe(groups, jobs);
      observe(commits, seconds);
    },
    delivered: (stage: Stage, count: number): void => void (deliveries[stage] += count),
  };
}

const SLOWEST = 20;

/** Keeps a request that is one of the slowest of the last hour. Most are not, which costs one comparison. */
export function noteSlow(
  metrics: Metrics,
  at: Millis,
  ms: number,
  describe: () => Omit<SlowRequest, 'at' | 'ms'>,
): void {
  const least = metrics.slowest[SLOWEST - 1];
  if (least !== undefined && ms <= least.ms && isRecent(least, at)) return;
  const slowest = [...listSlowest(metrics, at), { at, ms, ...describe() }];
  metrics.slowest = slowest.sort((one, other) => other.ms - one.ms).slice(0, SLOWEST);
}

export function listSlowest({ slowest }: Metrics, now: Millis): SlowRequest[] {
  return slowest.filter((request) => isRecent(request, now));
}

function isRecent({ at }: SlowRequest, now: Millis): boolean {
  return at > now - HOUR_MS;
}
