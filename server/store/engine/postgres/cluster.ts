// The hubs on a database, as their table lists them.
import { OPERATOR } from '../../../domain/accounts/audit-entry.ts';
import { RENEW_EPOCH } from '../../whole-hub.ts';
import { type ClusterHub, type DrainOutcome, isServing } from '../cluster.ts';
import { IS_ALIVE, SERVER_NOW } from './alive.ts';
import { onDatabase, SHORT } from './connection/on-database.ts';
import type { Statements } from './connection/statements.ts';
import { assertHoldsHub } from './schema.ts';
import { SCHEMA_LOCK } from './upgrade.ts';

/** A JSON array of ClusterHub, without the commands that have opened the database. */
export const AS_JSON = `coalesce(json_agg(json_build_object('hub_id', hub_id, 'hub_name', hub_name, 'version', version,
    'started_at', started_at, 'seen_at', seen_at, 'is_alive', ${IS_ALIVE}, 'is_leader', is_leader = 1 AND ${IS_ALIVE},
    'events_behind', events_behind, 'streams', streams, 'is_draining', drain_at IS NOT NULL)
  ORDER BY started_at, hub_id) FILTER (WHERE hub_name IS NOT NULL), '[]')`;

export async function listHubs(statements: Statements): Promise<ClusterHub[]> {
  const found = await statements.first<{ hubs: string }>(`SELECT ${AS_JSON} AS hubs FROM hubs`, []);
  return JSON.parse(found?.hubs ?? '[]');
}

/** For a command. Throws StartError, with one line that says what to do. */
export function listHubsOn(url: string): Promise<ClusterHub[]> {
  return onHub(url, listHubs);
}

/** See `Cluster`. Throws StartError. */
export function drainHubOn(url: string, hubId: string, isForced: boolean): Promise<DrainOutcome> {
  return onHub(url, (statements) => drainHub(statements, hubId, isForced));
}

/**
 * For a database that was restored: event ids that were given after its backup must not be taken for later events.
 * Returns the hubs that run, which must be stopped first; if there are none, it is done. Throws StartError.
 */
export function startEventsOverOn(url: string): Promise<readonly ClusterHub[]> {
  return onHub(url, startEventsOver);
}

function onHub<Result>(url: string, act: (statements: Statements) => Promise<Result>): Promise<Result> {
  const actOnHub = async (statements: Statements): Promise<Result> => {
    await assertHoldsHub(statements);
    return act(statements);
  };
  return onDatabase(url, actOnHub, SHORT);
}

async function drainHub(statements: Statements, hubId: string, isForced: boolean): Promise<DrainOutcome> {
  // Hubs are drained while a synchronous standby is lost, too: the disk of the server is enough.
  await statements.exec(`BEGIN; SET LOCAL synchronous_commit = local; ${LOCK}`);
  const outcome = outcomeFor(await listHubs(statements), hubId, isForced);
  if (outcome === 'draining') await statements.run(DRAIN, [hubId]);
  await statements.exec('COMMIT');
  return outcome;
}

async function startEventsOver(statements: Statements): Promise<readonly ClusterHub[]> {
  await statements.exec(`BEGIN; ${SCHEMA_LOCK}`); // a hub that starts waits for it
  const running = (await listHubs(statements)).filter(({ is_alive }) => is_alive);
  if (running.length === 0) {
    await statements.run(RENEW_EPOCH, []);
    await statements.run(RESTORED, []);
    await statements.exec('DELETE FROM hubs; DELETE FROM commits'); // of those that ran when the backup was made
  }
  await statements.exec('COMMIT');
  return running;
}

function outcomeFor(hubs: readonly ClusterHub[], hubId: string, isForced: boolean): DrainOutcome {
  const hub = hubs.find(({ hub_id }) => hub_id === hubId);
  if (!hub?.is_alive) return 'gone';
  if (hub.is_draining || isForced) return 'draining';
  return hubs.some((other) => other !== hub && isServing(other)) ? 'draining' : 'last';
}

const RESTORED = `INSERT INTO audit_log (actor, action, target_type, detail, created_at)
  VALUES ('${OPERATOR}', 'hub.restore', 'hub', 'by the tools of PostgreSQL', ${SERVER_NOW})`;

/** Of two that would be the last one, only one may be drained. */
const LOCK = 'SELECT pg_advisory_xact_lock(-3)';
/** Asked again, a hub that drains already goes on, and has one entry in the audit log. */
const DRAIN = `WITH drained AS (
    UPDATE hubs SET drain_at = ${SERVER_NOW} WHERE hub_id = ? AND drain_at IS NULL RETURNING hub_id, hub_name, drain_at)
  INSERT INTO audit_log (actor, action, target_type, target_id, detail, created_at)
  SELECT '${OPERATOR}', 'hub.drain', 'hub', hub_id, hub_name, drain_at FROM drained`;
