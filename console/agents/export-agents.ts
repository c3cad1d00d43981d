// The agents of a filter as a list to export. The hub lists all agents, and the filter of the page selects.
import { MAX_REST_LIMIT } from '../../server/domain/limits.ts';
import { account } from '../account/account.ts';
import { type ExportList, pagesOf } from '../export/export-list.ts';
import { type Agent, listAgents } from '../live/api.ts';
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
    pages: (signal) => {
      const running = knownTasks(({ status }) => status === 'running', MAX_RUNNING);
      return pagesOf(signal, async (cursor) => {
        const { sessions, next_cursor } = await listAgents({
          network_id: account.value?.network_id,
          limit: MAX_REST_LIMIT,
          cursor,
        });
        const rows = rosterOf(sessions, running, new Map(), 0).filter(matches);
        return { rows: rows.map(({ agent }) => agent), next: next_cursor };
      });
    },
  };
}
