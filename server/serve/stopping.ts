// When the hub stops in order: on SIGTERM and SIGINT, and when an operator drains it. First it may serve requests for a
// while, so that a load balancer can notice that it is not ready.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../domain/log.ts';
import { SECOND_MS } from '../domain/time/time.ts';

/** `hurried` is aborted if the hub should stop at once, while requests still finish. */
export type Stop = { cause: 'drain' | NodeJS.Signals; hurried: AbortSignal };

const EXIT_FORCED = 2;

/** Calls `stop` once, and then ends the process. */
export function stopOnce(
  stop: (stop: Stop) => Promise<void>,
  drained: Promise<void>,
  exitOnFailure: (error: unknown) => never,
): void {
  const hurry = new AbortController();
  let isStopping = false;
  let isSignalled = false;
  const begin = (cause: Stop['cause']): void => {
    isStopping = true;
    void stop({ cause, hurried: hurry.signal }).then(() => process.exit(0), exitOnFailure);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isSignalled) process.exit(EXIT_FORCED);
    isSignalled = true;
    if (isStopping) hurry.abort();
    else begin(signal);
  };
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  if (process.stdout.isTTY) process.on('SIGHUP', onSignal); // the terminal is gone
  void drained.then(() => isStopping || begin('drain'));
}

/** How long a hub that an operator drains serves requests if drain_seconds is not set. */
const DRAIN_SECONDS = 10;

export function graceSeconds({ cause }: Stop, drainSeconds: number): number {
  return cause === 'drain' && drainSeconds === 0 ? DRAIN_SECONDS : drainSeconds;
}

export type Grace = { seconds: number; log: Log; leave: () => void; endStreams: () => void };

/**
 * Resolves after the grace period. A drained hub closes its connections from the start, and ends its streams halfway:
 * the balancer has noticed by then, so clients open them again at another hub while this one still serves requests.
 */
export async function serveForGrace(stop: Stop, { seconds, log, leave, endStreams }: Grace): Promise<void> {
  if (seconds === 0) return;
  const isDrained = stop.cause === 'drain';
  const why = isDrained ? 'is drained by an operator' : `got ${stop.cause}`;
  log.info({ ...factsOf(stop), seconds }, `agenthub ${why} and serves requests for another ${seconds} s`);
  if (!isDrained) return pause(stop, seconds);
  leave();
  await pause(stop, seconds / 2);
  endStreams();
  await pause(stop, seconds / 2);
}

export function factsOf({ cause }: Stop): object {
  return cause === 'drain' ? { cause } : { signal: cause };
}

/** Ends early if the stop is hurried. */
async function pause({ hurried }: Stop, seconds: number): Promise<void> {
  await sleep(seconds * SECOND_MS, undefined, { signal: hurried }).catch(() => {});
}
