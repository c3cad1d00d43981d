// The agents of a filter, or their figures, as a list to export. The hub lists all agents, and the filter of the page
// selects.
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { account } from '../account/account.ts';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { hoursOf, type Span } from '../fleet/spans.ts';
import { type Agent, type AgentFigures, type Figures, listAgents, listFigures } from '../live/api.ts';
import { network } from '../live/store.ts';
import { knownTasks } from '../live/task-pool.ts';
import { type RosterRow, rosterOf } from './roster.ts';

const COLUMNS = [
  'alias',
  'resume_id',
  'status',
  'task',
  'progress',
  'agent',
  'model',
  'server',
  'hostname',
  'inbox_count',
  'last_seen_at',
  'last_progress_at',
  'status_since',
  'last_output',
] as const satisfies readonly (keyof Agent)[];

const MAX_RUNNING = 1_000;

export function agentsToExport(matches: (row: RosterRow) => boolean): ExportList {
  return {
    name: 'agents',
    of: network.value?.network_name ?? '',
    columns: COLUMNS,
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const { sessions, next_cursor } = await listAgents(pageAt(cursor));
        return { rows: matching(sessions, matches), next: next_cursor };
      }),
  };
}

function pageAt(cursor: string | undefined) {
  return { network_id: account.value?.network_id, limit: MAX_REST_LIMIT, cursor };
}

function matching(sessions: readonly Agent[], matches: (row: RosterRow) => boolean): Agent[] {
  const running = knownTasks(({ status }) => status === 'running', MAX_RUNNING);
  const rows = rosterOf(sessions, running, new Map(), 0).filter(matches);
  return rows.map(({ agent }) => agent);
}

const FIGURES = [
  'alias',
  'since',
  'until',
  'queue_age_ms',
  'start_p50_ms',
  'start_p95_ms',
  'settle_p50_ms',
  'settle_p95_ms',
  'replied',
  'failed',
  'cancelled',
  'expired',
  'failure_rate',
  'settled_per_hour',
] as const;

/** Both lists are ordered by alias, so their pages contain the same agents. */
export function figuresToExport(span: Span, matches: (row: RosterRow) => boolean): ExportList {
  return {
    name: 'figures',
    of: network.value?.network_name ?? '',
    columns: FIGURES,
    pages: (signal) =>
      pagesOf(signal, async (cursor) => {
        const [{ sessions, next_cursor }, { agents, ...bounds }] = await Promise.all([
          listAgents(pageAt(cursor)),
          listFigures({ ...pageAt(cursor), hours: hoursOf(span) }),
        ]);
        const wanted = new Set(matching(sessions, matches).map(({ alias }) => alias));
        const rows = agents.filter(({ alias }) => wanted.has(alias)).map((agent) => flatFigures(agent, bounds));
        return { rows, next: next_cursor };
      }),
  };
}

function flatFigures(
  { alias, time_to_start, time_to_settle, settled, queue_age_ms, failure_rate, settled_per_hour }: AgentFigures,
  { since, until }: Pick<Figures, 'since' | 'until'>,
): Record<(typeof FIGURES)[number], string | number | null> {
  return {
    alias,
    since,
    until,
    queue_age_ms,
    start_p50_ms: time_to_start.p50_ms,
    start_p95_ms: time_to_start.p95_ms,
    settle_p50_ms: time_to_settle.p50_ms,
    settle_p95_ms: time_to_settle.p95_ms,
    ...settled,
    failure_rate,
    settled_per_hour,
  };
}
