// Counts the connections that the listener closed by itself, and names them in the log once a minute at most: strangers
// can have them closed as fast as they like.
import { MINUTE_MS } from '../domain/time/time.ts';
import type { Hub } from '../hub.ts';
import { type Closed, isOutOfDescriptors } from './connections.ts';

const MESSAGES: Readonly<Record<Closed, string>> = {
  refused:
    'connections are refused: the limit, set by memory and open files, is reached; raise LimitNOFILE or ulimit -n if open files set it',
  idle: 'idle connections were closed to make room: the limit, set by memory and open files, is reached',
  pipelined: 'connections were closed whose clients sent too many requests ahead of their answers',
  memory: 'the newest connections were closed because memory is nearly used up',
  unread: 'connections were closed whose clients took nothing for 30 seconds',
};

const NO_DESCRIPTOR = 'no file descriptor is left, so new connections are closed; raise LimitNOFILE or ulimit -n';

export function connectionLog({
  log,
  clock,
  metrics,
}: Pick<Hub, 'log' | 'clock' | 'metrics'>): (closed: Closed | Error) => void {
  const lastTold = new Map<string, number>();
  const isDue = (what: string): boolean => {
    const now = clock.now();
    if (now - (lastTold.get(what) ?? -Infinity) < MINUTE_MS) return false;
    lastTold.set(what, now);
    return true;
  };
  return (closed) => {
    if (closed instanceof Error) {
      const message = isOutOfDescriptors(closed) ? NO_DESCRIPTOR : 'a connection could not be accepted';
      if (isDue(message)) log.error({ err: closed }, message);
      return;
    }
    metrics.connections[closed] += 1;
    if (isDue(closed)) log.warn({ connections: metrics.connections[closed] }, MESSAGES[closed]);
  };
}
