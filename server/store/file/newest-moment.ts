// Reads from its records when a database was last written; the system clock should be past that.
import { MAX_PAST_MOMENT } from '../../domain/files/stored-values.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { damaged, onFile } from './open.ts';

// Each query avoids scanning a table that grows.
const MOMENTS = [
  ...[
    ['audit_log', 'entry_seq'],
    ['events', 'seq'],
    ['messages', 'message_seq'],
    ['task_events', 'event_seq'],
  ].map(
    ([table, order]) =>
      `SELECT created_at AS moment FROM (SELECT created_at FROM ${table} ORDER BY ${order} DESC LIMIT 1)`,
  ),
  "SELECT max(last_seen_at) FROM sessions WHERE marked_offline = 0 AND status <> 'offline'",
  'SELECT max(last_used_at) FROM tokens',
  'SELECT max(created_at) FROM tokens',
];

/**
 * Returns undefined for a new database. Throws StartError if the moment is outside the range from which a hub can
 * continue.
 */
export function newestMoment(file: string): Promise<Millis | undefined> {
  return onFile(file, async (client) => {
    const {
      rows: [newest],
    } = await client.execute(
      `SELECT max(moment) IS NULL AS none, iif(max(moment) BETWEEN 0 AND ${MAX_PAST_MOMENT}, max(moment), NULL) AS moment
       FROM (${MOMENTS.join(' UNION ALL ')})`,
    );
    if (newest?.none === 1) return undefined;
    if (typeof newest?.moment === 'number') return newest.moment;
    throw damaged(file, `its newest record is not from 1970 to ${new Date(MAX_PAST_MOMENT).getUTCFullYear()}`);
  });
}
