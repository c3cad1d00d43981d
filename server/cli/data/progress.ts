// Says how far a long export or import is.
import { SECOND_MS } from '../../domain/time/time.ts';
import { note } from '../output.ts';

const EVERY_MS = 5 * SECOND_MS;
/** Looking at the clock for every row would take longer than most rows. */
const ROWS_BETWEEN = 1_000;

/** Passes the rows on, and says every five seconds how many there were. `elapsed` returns milliseconds. */
export async function* withProgress<Row>(
  rows: AsyncIterable<Row>,
  what: string,
  elapsed = () => performance.now(),
): AsyncGenerator<Row> {
  let passed = 0;
  let saidAt = elapsed();
  for await (const row of rows) {
    yield row;
    passed += 1;
    if (passed % ROWS_BETWEEN > 0 || elapsed() - saidAt < EVERY_MS) continue;
    saidAt = elapsed();
    note(`${what}: ${passed} rows so far`);
  }
}
