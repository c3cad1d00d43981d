// Reaches the hubs on one PostgreSQL database: through the database if its URL is known here, and otherwise through the
// hub that runs on the data directory.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../domain/errors.ts';
import { DATABASE } from '../../domain/files/data-files.ts';
import { drainHub } from '../../operations/operator/cluster/drain-hub.ts';
import {
  clusterRecord,
  FILE,
  type ListedCluster,
  type ListedHub,
  listHubs,
} from '../../operations/operator/cluster/list-hubs.ts';
import type { AnyOperatorOperation } from '../../operations/operator/operator-operation.ts';
import { isInUse } from '../../serve/data-directory.ts';
import type { DrainOutcome } from '../../store/engine/cluster.ts';
import { configOf, type DatabaseOptions } from '../data/as-operator.ts';
import { askThroughSocket } from '../data/operator-client.ts';
import { CommandError, EXIT, refusalCode } from '../exit-codes.ts';

export type ClusterAccess = {
  list(): Promise<ListedCluster>;
  drain(hubId: string, force: boolean): Promise<DrainOutcome>;
  /**
   * The present state of a hub; undefined once it has stopped, and `unknown` while it stops. Throws StartError or
   * CommandError if the database or the hub that is asked does not answer this time.
   */
  stillRunning(hub: ListedHub): Promise<ListedHub | 'unknown' | undefined>;
};

export function openClusterAccess(options: DatabaseOptions): ClusterAccess {
  const { data, database } = configOf(options);
  return database === undefined ? throughHub(data) : throughDatabase(database);
}

function throughDatabase(url: string): ClusterAccess {
  const load = () => import('../../store/engine/postgres/cluster.ts');
  const list = async () => clusterRecord(await (await load()).listHubsOn(url), null);
  return {
    list,
    drain: async (hubId, force) => (await load()).drainHubOn(url, hubId, force),
    stillRunning: async (hub) => sameIn(await list(), hub),
  };
}

function throughHub(data: string): ClusterAccess {
  let listedBy: string | null = null;
  return {
    list: async () => {
      const listed = (await ask(data, listHubs, {})) ?? withoutHub(data);
      listedBy = listed.listed_by;
      return listed;
    },
    drain: async (hub_id, force) => {
      const drained = await ask(data, drainHub, { hub_id, force });
      if (drained === undefined) throw notRunning(data);
      return drained.outcome;
    },
    stillRunning: async (hub) => {
      const isAsked = hub.hub_id === listedBy;
      const listed = await ask(data, listHubs, {});
      if (listed !== undefined) return sameIn(listed, hub);
      if (!isAsked) throw notRunning(data);
      return (await isInUse(data)) ? 'unknown' : undefined; // it closes its socket before its database
    },
  };
}

function sameIn({ hubs }: ListedCluster, { hub_id }: ListedHub): ListedHub | undefined {
  return hubs.find((hub) => hub.hub_id === hub_id);
}

/** Undefined if no hub is running there. */
async function ask<Result extends object>(
  data: string,
  { name: operation }: AnyOperatorOperation<Result>,
  input: object,
): Promise<Result | undefined> {
  try {
    return await askThroughSocket<Result>(data, { operation, input });
  } catch (error) {
    if (error instanceof HubError) throw new CommandError(error.message, refusalCode(error.code), error.code);
    throw error;
  }
}

function withoutHub(data: string): ListedCluster {
  if (existsSync(join(data, DATABASE))) return FILE;
  throw notRunning(data);
}

function notRunning(data: string): CommandError {
  return new CommandError(
    `no hub is running on ${data}: run this where a hub runs, or name the database with AGENTHUB_DATABASE`,
    EXIT.unreachable,
  );
}
