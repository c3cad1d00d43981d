// cluster restored: the database was restored with the tools of PostgreSQL, so event streams must start over.
import { startEventsOverOn } from '../../store/engine/postgres/cluster.ts';
import { configOf, type DatabaseOptions } from '../data/as-operator.ts';
import { CommandError } from '../exit-codes.ts';
import { type OutputOptions, sayLine } from '../output.ts';

export async function clusterRestored(options: DatabaseOptions & OutputOptions): Promise<void> {
  const { database } = configOf(options);
  if (database === undefined)
    throw new CommandError('name the database that was restored with --database or AGENTHUB_DATABASE');
  const running = await startEventsOverOn(database);
  if (running.length > 0) {
    const names = running.map(({ hub_name }) => hub_name).join(', ');
    throw new CommandError(
      `${names} ${running.length === 1 ? 'runs' : 'run'} on this database, or did less than 5 seconds ago: stop all hubs first`,
    );
  }
  sayLine(options, { ok: true }, () => 'event streams start over with the next start of the hubs');
}
