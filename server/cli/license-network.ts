// network license: lifts or moves the end of a network's trial, in the data directory of a hub that is not running.
import { systemClock } from '../domain/clock.ts';
import { StartError } from '../domain/errors.ts';
import { momentOf, timestampOrNull } from '../domain/time.ts';
import * as auditLog from '../store/audit-log.ts';
import { openDatabase, type Transaction } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import * as networks from '../store/networks.ts';
import { openDataDirectory } from './data-directory.ts';
import { dataDirectoryOf, type GivenOptions } from './key-options.ts';

/** `until` is a date, whose beginning ends the trial, or `never`. */
export async function licenseNetwork(networkId: string, { until, ...flags }: GivenOptions & { until: string }): Promise<void> {
  const endsAt = endOf(until);
  const { databaseFile: file, lock } = await openDataDirectory(dataDirectoryOf(flags));
  await migrate(file);
  const store = await openDatabase({ file, clock: systemClock, publish: () => {}, onFatal: (error) => { throw error; } });
  try {
    await store.write((tx) => moveTrial(tx, networkId, endsAt));
    process.stdout.write(`tasks may be sent in ${networkId} ${endsAt === null ? 'without end' : `until ${until}`}; start the hub again\n`);
  } finally {
    await store.close();
    lock.release();
  }
}

function endOf(until: string): number | null {
  if (until === 'never') return null;
  const moment = momentOf(`${until} 00:00:00`);
  if (moment === undefined) throw new StartError(`--until is "${until}" but must be a date such as 2027-01-31, or never`);
  return moment;
}

async function moveTrial(tx: Transaction, networkId: string, endsAt: number | null): Promise<void> {
  if (!(await networks.markTrialEnd(tx, networkId, endsAt))) throw new StartError(`there is no network ${networkId}; GET /api/networks lists the ids`);
  await auditLog.insert(tx, {
    actor: 'command line', action: 'network.license', target_type: 'network', target_id: networkId,
    detail: `until ${timestampOrNull(endsAt) ?? 'never'}`, ip: null, network_id: networkId,
  });
}
