// Health indicators of a hub from outside: its gauges, the longest stall of its event loop, its memory and its log.
import { existsSync, readFileSync } from 'node:fs';
import { objectIn } from '../../../test/support/json.ts';
import type { Hub } from '../hub.ts';
import { complaint } from '../row.ts';

/** `stallMs` is the longest since the previous reading. */
export type Health = { streams: number; waits: number; stallMs: number };

/** The monitor's interval. It counts the time between two readings. */
const LAG_STEP_MS = 20;

export async function healthOf(hub: Hub): Promise<Health> {
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  const valueOf = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
  return {
    streams: valueOf('agenthub_event_streams_open'),
    waits: valueOf('agenthub_waits_open'),
    stallMs: Math.max(0, valueOf('nodejs_eventloop_lag_max_seconds') * 1_000 - LAG_STEP_MS),
  };
}

/**
 * Memory of the process that is not backed by a file, which is what a small machine runs out of. 0 when it is gone.
 * Linux only.
 */
export function ownBytes(pid: number): number {
  return kilobytes(pid, 'RssAnon') * 1024;
}

function kilobytes(pid: number, name: string): number {
  const file = `/proc/${pid}/status`;
  const status = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0);
}

/** A hub under attack rejects requests. It has no reason to log an error. */
export function errorsIn(hub: Hub): string[] {
  const lines = hub
    .stdout()
    .split('\n')
    .filter((line) => /"level":"(error|fatal)"/.test(line))
    .map(shortened);
  return [
    ...complaint('errors in the log', lines),
    ...complaint('printed outside of the log', hub.stderr().split('\n').filter(isUnexpected)),
  ];
}

function shortened(line: string): string {
  const { msg, err, route } = objectIn(line);
  return `${String(msg)} ${String(route ?? '')} ${JSON.stringify(err ?? '').slice(0, 300)}`;
}

function isUnexpected(line: string): boolean {
  return line.trim() !== '';
}
