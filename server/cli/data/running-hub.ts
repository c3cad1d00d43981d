// Finds the hub that runs on a data directory, through its operator socket, whatever its port is.

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

const RESPONSE_MS = 10 * SECOND_MS;

/** The PID of the hub on a data directory. Throws a CommandError if it does not respond or refuses this user. */
export async function runningProcess(data: string): Promise<number | undefined> {
  return (await ask(data, AbortSignal.timeout(RESPONSE_MS)))?.pid;
}

function ask(data: string, signal?: AbortSignal): Promise<ShownAddress | undefined> {
  return askThroughSocket<ShownAddress>(data, { operation: 'hub address', input: {} }, signal);
}
