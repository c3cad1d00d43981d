// The checks of a PostgreSQL database, its servers and the hubs on it, shared by `agenthub doctor` and the diagnostics of
// a running hub.
import { type Finding, fail } from './finding.ts';
import { type ClusterMember, clusterFindings, type PostgresFacts, postgresFindings } from './postgres.ts';
import { type ServerFacts, serverFindings } from './postgres-servers.ts';

export type InspectedDatabase = {
  facts: PostgresFacts;
  /** Of each, if the URL names several. */
  servers: readonly ServerFacts[];
  /** Null if the user may not list them. */
  hubs: readonly ClusterMember[] | null;
};

/** `supported` is the schema of this program. */
export function inspectedFindings({ facts, servers, hubs }: InspectedDatabase, supported: number): Finding[] {
  return [
    ...postgresFindings(facts, supported),
    ...serverFindings(servers),
    ...(hubs === null ? [] : clusterFindings(hubs)),
  ];
}

/** For a database that cannot be looked at. */
export function lostDatabase(message: string): Finding {
  return fail('database', message, 'hubs refuse writes until it is back, and then continue');
}
