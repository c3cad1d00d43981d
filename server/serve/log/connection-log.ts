// Counts the connections that the listener closes and logs each reason at most once a minute, because clients can cause
// closures at any rate.
import { MINUTE_MS } from '../../domain/time/time.ts';
import type { Hub } from '../../hub.ts';
import type { Closed } from '../listener/eviction.ts';
import { isShortage } from '../machine/descriptors.ts';

const MESSAGES: Readonly<Record<Closed, string>> = {
  refused:
    'connections were refused: the limit set by memory and open files is reached; for more open files, raise LimitNOFILE or ulimit -n',
  idle: 'idle connections were closed to make room: the limit set by memory and open files is reached',
  pipelined: 'connections were closed because their clients pipelined too many requests',
  memory: 'connections were closed because memory is nearly exhausted',
  unread: 'connections were closed because their clients read nothing for 30 seconds',
  aborted: 'connections were refused: their address closes more than 1,000 a second before they are answered',
  bodies: 'connections were closed after a response: too many bodies that the hub had refused were still arriving',
};

export function connectionLog({
  log,
  clock,
  metrics,
}: Pick<Hub, 'log' | 'clock' | 'metrics'>): (closed: Closed | Error) => void {
  const lastLogged = new Map<string, number>();
  const isDue = (what: string): boolean => {
    const now = clock.now();
    if (now - (lastLogged.get(what) ?? -Infinity) < MINUTE_MS) return false;
    lastLogged.set(what, now);
    return true;
  };
  return (closed) => {
    if (closed instanceof Error) {
      // machine/resource-watch.ts reports a shortage of descriptors.
      const message = 'failed to accept a connection';
      if (!isShortage(closed) && isDue(message)) log.error({ err: closed }, message);
      return;
    }
    metrics.connections[closed] += 1;
    if (isDue(closed)) log.warn({ connections: metrics.connections[closed] }, MESSAGES[closed]);
  };
}
