// The last line of defense: logs and counts unhandled rejections and exceptions without ending the process, because one
// request must not stop the hub for everyone. A database failure does end it, through its own handler.
import { MINUTE_MS } from '../domain/time/time.ts';
import { openSlidingCounter } from '../events/limits/sliding-window.ts';
import type { Hub } from '../hub.ts';

const LOGGED_A_MINUTE = 5;
const REMEMBERED_ERRORS = 1_000;

/**
 * Continuing after an exception is safe here: durable state is written in transactions, which roll back or end the hub
 * themselves. State in memory is limited to counts, caches and open connections, which are released, swept or reloaded.
 */
export function surviveUnexpected(hub: Pick<Hub, 'log' | 'metrics' | 'clock'>): void {
  const { unexpected } = hub.metrics;
  const log = openErrorLog(hub);
  process.on('unhandledRejection', (error) => {
    unexpected.rejection += 1;
    log(error, 'unhandled promise rejection');
  });
  process.on('uncaughtException', (error) => {
    unexpected.exception += 1;
    log(error, 'uncaught exception');
  });
}

function openErrorLog({ log, clock }: Pick<Hub, 'log' | 'clock'>): (error: unknown, message: string) => void {
  const logged = openSlidingCounter(MINUTE_MS, REMEMBERED_ERRORS);
  return (error, message) => {
    const now = clock.now();
    if (logged.count(String(error), now) >= LOGGED_A_MINUTE) return;
    logged.add(String(error), now);
    log.error({ err: error }, message);
  };
}
