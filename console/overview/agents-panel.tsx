// The agents that need attention most, below the counts of all.
import { SortField, useSort } from '../agents/agent-sort.tsx';
import { AgentTable } from '../agents/agent-table.tsx';
import type { RosterRow } from '../agents/roster.ts';
import { RunningTasks, useHeldRows, useRoster } from '../agents/use-roster.tsx';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { agentCounts, agentTotal } from '../live/store.ts';
import { Counts } from '../parts/counts.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { AgentSign } from '../parts/status.tsx';
import { AGENT_STATUSES } from '../parts/statuses.ts';
import { agentsPath, PATHS } from '../routes.ts';
import { Panel } from './panel.tsx';

export function AgentsPanel() {
  const { agents: text, agentStatus } = words.value;
  const known = agentCounts.value;
  const counts = AGENT_STATUSES.map((status) => ({
    status,
    label: agentStatus[status],
    count: known === null ? undefined : (known[status] ?? 0),
    href: agentsPath({ status }),
    chosen: false,
    sign: <AgentSign status={status} />,
  }));
  const actions = <SortField sort={useSort()} />;
  return (
    <Panel id="agents" title={text.title} total={agentTotal.value ?? undefined} href={PATHS.agents} actions={actions}>
      <Counts label={text.filter} counts={counts} />
      <RunningTasks />
      <FirstAgents />
    </Panel>
  );
}

/** The stylesheet hides rows that do not fit the screen. */
const SHOWN = 12;

function FirstAgents() {
  const all = useRoster();
  return all === null ? <SkeletonRows /> : <Rows all={all} />;
}

function Rows({ all }: { all: readonly RosterRow[] }) {
  const { sort } = useAddress().query;
  const { ref, rows } = useHeldRows(all, isAny);
  return (
    <div ref={ref}>
      <AgentTable rows={rows.slice(0, SHOWN)} />
      {rows.length > 0 && (
        <a class="button panel-more" href={agentsPath({ sort })}>
          {words.value.overview.allAgents}
        </a>
      )}
    </div>
  );
}

const isAny = () => true;
