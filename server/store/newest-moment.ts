// When a database was last written to, as its own records say: the clock of the machine should be past that.
import type { Millis } from '../domain/clock.ts';
import { onFile } from './opening.ts';

/** Undefined where nothing has happened yet. */
export function newestMoment(file: string): Promise<Millis | undefined> {
  return onFile(file, async (client) => {
    const { rows } = await client.execute('SELECT max(created_at) FROM (SELECT max(created_at) AS created_at FROM audit_log UNION ALL SELECT max(created_at) FROM events)');
    const moment = rows[0]?.[0];
    return typeof moment === 'number' ? moment : undefined;
  });
}
