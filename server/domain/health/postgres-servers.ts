// The checks of several PostgreSQL servers in one URL, one of which should take writes: from facts to findings.
import { type Finding, fail, ok, warn } from './finding.ts';

export type ServerFacts = {
  /** As the URL has it. */
  server: string;
  isStandby: boolean;
  takesWrites: boolean;
  /** The identity of the data, which a standby has from its server. Null if the server does not tell it. */
  system: string | null;
  /** Increases with each promotion. Null if the server does not tell it. */
  timeline: number | null;
  /** Why it cannot be used; null if it can. */
  problem: string | null;
};

/** Empty for one server. A hub uses the one that takes writes, and of several the one on the newest timeline. */
export function serverFindings(servers: readonly ServerFacts[]): Finding[] {
  if (servers.length < 2) return [];
  const writable = servers.filter(({ takesWrites }) => takesWrites);
  const unreachable = servers.flatMap(({ server, problem }) =>
    problem === null ? [] : [ofUnreachable(server, problem)],
  );
  if (writable.length > 1) return [ofSeveral(writable), ...unreachable];
  const foreign = servers.filter(({ system }) => system !== null && system !== writable[0]?.system);
  if (writable.length === 1 && foreign.length > 0) return [ofForeign(servers), ...unreachable];
  return unreachable.length > 0 ? unreachable : [ok('servers', servers.map(described).join(', '))];
}

function ofUnreachable(server: string, problem: string): Finding {
  return warn(
    'servers',
    problem,
    `it cannot take over: start ${server} if no other server has taken its place; otherwise make it a standby first`,
  );
}

/** One on an older timeline was replaced, which it does not notice when it is started. */
function ofSeveral(writable: readonly ServerFacts[]): Finding {
  const says = `${writable.length} servers take writes, and hubs that cannot reach the newest may use another: ${writable.map(described).join(', ')}`;
  if (new Set(writable.map(({ system }) => system)).size > 1)
    return fail('servers', `${says}; they hold different databases`, 'name one server and its standbys in the URL');
  const newest = Math.max(...writable.map(({ timeline }) => timeline ?? 0));
  const older = writable.filter(({ timeline }) => timeline !== newest).map(({ server }) => server);
  const which =
    older.length === writable.length - 1 ? `${older.join(' and ')} (replaced, older timeline)` : 'all but one';
  return fail(
    'servers',
    says,
    `stop ${which} at once, look there for what hubs have written since, and make it a standby`,
  );
}

function ofForeign(servers: readonly ServerFacts[]): Finding {
  return warn(
    'servers',
    `not all servers hold the same database: ${servers.map(described).join(', ')}`,
    'name one server and its standbys in the URL: another cannot take over',
  );
}

function described({ server, isStandby, takesWrites, system, timeline, problem }: ServerFacts): string {
  if (problem !== null) return `${server} (cannot be reached)`;
  const role = takesWrites ? 'takes writes' : isStandby ? 'a standby' : 'read-only';
  return `${server} (${role}, timeline ${timeline ?? 'unknown'}, system ${system ?? 'unknown'})`;
}
