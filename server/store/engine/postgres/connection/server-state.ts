// What a server is: whether it takes writes, and on which timeline. A standby that takes its place begins a new one.
import type { Statements } from './statements.ts';

/** `system` is the identity of the data, which a standby has from its server. */
export type Timeline = { system: string; timeline: number };

/** The timeline is undefined where a service does not tell it. */
export type ServerState = { isStandby: boolean; isReadOnly: boolean; timeline: Timeline | undefined };

export async function stateOf(statements: Statements): Promise<ServerState> {
  const [state, timeline] = await Promise.all([
    statements.first<{ is_standby: number; is_read_only: number }>(STATE, []),
    statements.first<Timeline>(TIMELINE, []).catch(() => undefined),
  ]);
  return { isStandby: state?.is_standby === 1, isReadOnly: state?.is_read_only === 1, timeline };
}

const STATE = `SELECT pg_is_in_recovery() AS is_standby,
  current_setting('transaction_read_only') = 'on' AS is_read_only`;
/** After a promotion, the last checkpoint has the timeline from before, until the next one. A standby writes no log. */
const TIMELINE = `SELECT system_identifier::text AS system,
  CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
    ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint END AS timeline
  FROM pg_control_system()`;
