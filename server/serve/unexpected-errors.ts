// The last line of defence: a rejection or exception that no code handles is logged and counted, and ends nothing. One
// request must not be able to end the hub for everybody; a database that fails does, since its own code says so first.
import { MINUTE_MS } from '../domain/time/time.ts';
import { openSlidingCounter } from '../events/sliding-window.ts';
import type { Hub } from '../hub.ts';

const LOGGED_A_MINUTE = 5;
const REMEMBERED_ERRORS = 1_000;

/**
 * Going on after an exception is safe here: what must not be torn is stored in transactions, which take back or end the
 * hub by themselves, and what is kept in memory is counts, caches and open connections, which are released, swept or
 * read again.
 */
export function surviveUnexpected(hub: Pick<Hub, 'log' | 'metrics' | 'clock'>): void {
  const { unexpected } = hub.metrics;
  const tell = teller(hub);
  process.on('unhandledRejection', (error) => {
    unexpected.rejection += 1;
    tell(error, 'a promise was rejected and nothing handled it');
  });
  process.on('uncaughtException', (error) => {
    unexpected.exception += 1;
    tell(error, 'an exception was thrown and nothing handled it');
  });
}

function teller({ log, clock }: Pick<Hub, 'log' | 'clock'>): (error: unknown, message: string) => void {
  const told = openSlidingCounter(MINUTE_MS, REMEMBERED_ERRORS);
  return (error, message) => {
    const now = clock.now();
    if (told.count(String(error), now) >= LOGGED_A_MINUTE) return;
    told.add(String(error), now);
    log.error({ err: error }, message);
  };
}
