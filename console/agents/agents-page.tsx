// The agents of the network: status, current task and last heartbeat.
import { useMemo } from 'preact/hooks';
import { useAddress } from '../frame/address.ts';
import { announce } from '../frame/announcements.ts';
import { words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { matchesWords } from '../live/listing.ts';
import { loadMoreAgents } from '../live/load.ts';
import { agentCounts, agents, agentsBeyond, agentTotal, isStale } from '../live/store.ts';
import { Counts } from '../parts/counts.tsx';
import { Empty, NoResults } from '../parts/empty.tsx';
import { FilterBar, FilterSelect } from '../parts/filter-bar.tsx';
import { useFreeze, useFrozenRows } from '../parts/freeze.ts';
import { Icon } from '../parts/icon.tsx';
import { LoadFailed } from '../parts/load-failed.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { AGENT_STATUSES, statusNamed } from '../parts/statuses.ts';
import { PATHS } from '../routes.ts';
import { AgentTable } from './agent-table.tsx';

export default function AgentsPage() {
  const text = words.value.agents;
  return (
    <div class="page" data-stale={isStale.value}>
      <PageHead title={text.title} total={agentTotal.value ?? undefined}>
        <a class="button button-primary" href={PATHS.connect}>
          <Icon name="plus" />
          {words.value.frame.connect}
        </a>
      </PageHead>
      <LoadFailed />
      <section class="panel" aria-label={text.title}>
        <StatusCounts />
        <Filters />
        {agents.value === null ? <SkeletonRows /> : <List all={agents.value} />}
      </section>
    </div>
  );
}

function StatusCounts() {
  const { query, pathWith } = useAddress();
  const { agents: text, agentStatus } = words.value;
  const known = agentCounts.value;
  const chosen = statusNamed(AGENT_STATUSES, query['status']);
  const counts = AGENT_STATUSES.map((status) => ({
    status,
    label: agentStatus[status],
    count: known === null ? undefined : (known[status] ?? 0),
    href: pathWith({ status: chosen === status ? undefined : status, rows: undefined }),
    chosen: chosen === status,
    sign: <span class="dot" />,
  }));
  return <Counts label={text.filter} counts={counts} />;
}

function Filters() {
  const { query } = useAddress();
  const { filters } = words.value;
  const servers = [...new Set(agents.value?.flatMap(({ server }) => server ?? []))].sort();
  const isSet = ['text', 'status', 'server'].some((name) => query[name] !== undefined);
  return (
    <FilterBar search={filters.searchAgents} clearPath={isSet ? PATHS.agents : undefined}>
      {(servers.length > 0 || query['server'] !== undefined) && (
        <FilterSelect
          name="server"
          label={filters.server}
          any={filters.anyServer}
          options={servers.map((value) => ({ value, label: value }))}
        />
      )}
    </FilterBar>
  );
}

const ROWS = 60;

function List({ all }: { all: readonly Agent[] }) {
  const { query, pathWith } = useAddress();
  const { ref, isFrozen } = useFreeze<HTMLDivElement>();
  const matching = useMemo(() => all.filter(matcherOf(query)), [all, query]);
  const { rows, waiting } = useFrozenRows(matching, keyOf, isFrozen.value, all);
  const most = Number(query['rows']) || ROWS;
  return (
    <div ref={ref}>
      <NewItems n={waiting} onShow={() => (isFrozen.value = false)} text={words.value.agents.newAgents} />
      {rows.length === 0 ? <NoAgents all={all} /> : <AgentTable list={rows.slice(0, most)} />}
      {rows.length > most && (
        <a
          class="button panel-more"
          href={pathWith({ rows: String(most + ROWS) })}
          onClick={() => announce(words.value.loading)}
        >
          {words.value.agents.showMore(Math.min(ROWS, rows.length - most), rows.length)}
        </a>
      )}
      {rows.length <= most && agentsBeyond.value !== null && <More loaded={all.length} />}
    </div>
  );
}

function More({ loaded }: { loaded: number }) {
  const load = () => {
    announce(words.value.loading);
    void loadMoreAgents();
  };
  return (
    <button type="button" class="button panel-more" onClick={load}>
      {words.value.agents.loadMore(loaded, agentTotal.value ?? loaded)}
    </button>
  );
}

const keyOf = ({ resume_id }: Agent) => resume_id;

/** True when every search word occurs in the visible fields of the agent. */
function matcherOf(query: Record<string, string>): (agent: Agent) => boolean {
  const status = statusNamed(AGENT_STATUSES, query['status']);
  const server = query['server'];
  return (agent) =>
    (status === undefined || agent.status === status) &&
    (server === undefined || agent.server === server) &&
    matchesWords(query['text'], [agent.alias, agent.agent, agent.model, agent.hostname, agent.server, agent.task]);
}

function NoAgents({ all }: { all: readonly Agent[] }) {
  const { agents: text } = words.value;
  if (all.length === 0) {
    return (
      <Empty title={text.emptyTitle} text={text.emptyText}>
        <a class="button button-primary" href={PATHS.connect}>
          {words.value.frame.connect}
        </a>
      </Empty>
    );
  }
  return <NoResults clearPath={PATHS.agents} />;
}
