// Finds the hub that runs on a data directory, through its operator socket, whatever its port is.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE } from '../../domain/files/data-files.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { ShownAddress } from '../../operations/operator/show-address.ts';
import { CommandError, EXIT } from '../exit-codes.ts';
import { dataDirectoryOf } from '../key-options.ts';
import { askThroughSocket } from './operator-client.ts';

/** Throws if no hub runs there, or if it belongs to another user. */
export async function runningHubOn(data: string): Promise<string> {
  const url = await addressOn(dataDirectoryOf({ data }));
  if (url === undefined) throw new CommandError(`no hub is running on ${data}; start it first`, EXIT.unreachable);
  return url;
}

/** The hub on the data directory of the environment, or in the working directory; undefined if it cannot be reached. */
export async function localHub(): Promise<string | undefined> {
  try {
    return await addressOn(dataDirectoryOf({}));
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}

export async function addressOn(data: string, signal?: AbortSignal): Promise<string | undefined> {
  return (await ask(data, signal))?.url ?? undefined;
}

export type ClusterSummary = NonNullable<ShownAddress['cluster']>;

/** What the hub with this URL knows about its cluster; null on a file, and if it cannot be asked. */
export async function clusterAt(url: string, data: string, signal: AbortSignal): Promise<ClusterSummary | null> {
  try {
    const hub = await ask(data, signal);
    return hub?.url === url ? (hub.cluster ?? null) : null; // a hub of an earlier version sends none
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

const RESPONSE_MS = 10 * SECOND_MS;

/**
 * The PID of the hub on a data directory whose database file was deleted or replaced. No command may open such a file:
 * it would copy the log of the hub into another database, and delete the log. Throws a CommandError if the file is
 * missing and the hub does not respond or refuses this user.
 */
export async function processWithoutFile(data: string): Promise<number | undefined> {
  const isThere = existsSync(join(data, DATABASE));
  try {
    const hub = await ask(data, AbortSignal.timeout(RESPONSE_MS));
    return hub === undefined || hub.cluster || (isThere && !hub.is_gone) ? undefined : hub.pid;
  } catch (error) {
    if (isThere && error instanceof CommandError) return undefined;
    throw error;
  }
}

/** Whether a hub runs there whose data are in a PostgreSQL database. */
export async function isOnPostgres(data: string): Promise<boolean> {
  return Boolean((await ask(data, AbortSignal.timeout(RESPONSE_MS)))?.cluster);
}

function ask(data: string, signal?: AbortSignal): Promise<ShownAddress | undefined> {
  return askThroughSocket<ShownAddress>(data, { operation: 'hub address', input: {} }, signal);
}
