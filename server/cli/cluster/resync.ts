// cluster resync: the database was restored with the tools of PostgreSQL, so event streams must start over.
import { setTimeout as sleep } from 'node:timers/promises';
import { GONE_MS } from '../../store/engine/postgres/alive.ts';
import { startEventsOverOn } from '../../store/engine/postgres/cluster.ts';
import { configOf, type DatabaseOptions } from '../data/as-operator.ts';
import { CommandError } from '../exit-codes.ts';
import { note, type OutputOptions, sayLine } from '../output.ts';
import { notingWait } from './wait-note.ts';

export async function clusterResync(options: DatabaseOptions & OutputOptions): Promise<void> {
  const { database } = configOf(options);
  if (database === undefined)
    throw new CommandError('name the database that was restored with --database or AGENTHUB_DATABASE');
  await notingWait(database, startEventsOver(database));
  sayLine(options, { ok: true }, () => 'event streams start over with the next start of the hubs');
}

/** The restored list of hubs may have those that ran at that moment: only one that still runs is in it for longer. */
async function startEventsOver(database: string): Promise<void> {
  const until = performance.now() + GONE_MS + LOOK_MS;
  for (let looks = 0; ; looks++) {
    const running = await startEventsOverOn(database);
    if (running.length === 0) return;
    const names = running.map(({ hub_name }) => hub_name).join(', ');
    if (performance.now() > until)
      throw new CommandError(`stop all hubs first: ${names} ${running.length === 1 ? 'runs' : 'run'} on this database`);
    if (looks === 0) note(`looking whether ${names} still ${running.length === 1 ? 'runs' : 'run'}`);
    await sleep(LOOK_MS);
  }
}

const LOOK_MS = 250;
