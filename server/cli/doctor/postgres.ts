// Checks a PostgreSQL database that hubs share: the server, the privileges, the replication and the hubs on it.
import { HubError, StartError } from '../../domain/errors.ts';
import { type Finding, fail, warn } from '../../domain/health/finding.ts';
import { inspectedFindings, lostDatabase } from '../../domain/health/inspected.ts';
import { inspectDatabase } from '../../operations/operator/cluster/inspect-database.ts';
import type { Inspected } from '../../store/engine/cluster.ts';
import { askThroughSocket } from '../data/operator-client.ts';
import { CommandError } from '../exit-codes.ts';

/** Through the database if its URL is known here, and otherwise through the hub that runs on the data directory. */
export async function checkPostgres(url: string | undefined, data: string): Promise<Finding[]> {
  try {
    const inspected = url === undefined ? await inspectThroughHub(data) : await inspect(url);
    if (inspected === undefined) return [UNKNOWN];
    const { SCHEMA } = await import('../../store/engine/postgres/upgrade.ts');
    return inspectedFindings(inspected, SCHEMA.version);
  } catch (error) {
    if (!(error instanceof StartError || error instanceof HubError || error instanceof CommandError)) throw error;
    return [
      error instanceof StartError && error.remedy
        ? fail('database', error.says, error.remedy)
        : lostDatabase(error.message),
    ];
  }
}

const UNKNOWN = warn(
  'database',
  'the hub stopped while doctor asked it',
  'run doctor again, with the URL of the database in AGENTHUB_DATABASE',
);

async function inspect(url: string): Promise<Inspected> {
  const { inspectOn } = await import('../../store/engine/postgres/inspect.ts');
  return inspectOn(url);
}

async function inspectThroughHub(data: string): Promise<Inspected | undefined> {
  const answer = await askThroughSocket<Awaited<ReturnType<typeof inspectDatabase.run>>>(data, {
    operation: inspectDatabase.name,
    input: {},
  });
  return answer?.inspected ?? undefined;
}
