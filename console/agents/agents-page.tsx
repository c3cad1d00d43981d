// The agents of the network, filtered and sorted by the address: what each is doing, or how fast each works.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { ExportButton } from '../export/export-button.tsx';
import { FilterMenu } from '../find/saved/filter-menu.tsx';
import { noteOf } from '../fleet/figure-text.ts';
import { useFleetFigures } from '../fleet/fleet-figures.ts';
import { SPAN_NAMES, spanIn } from '../fleet/spans.ts';
import { useAddress } from '../frame/address.ts';
import { announce } from '../frame/announcements.ts';
import { words } from '../i18n/language.ts';
import { matchesWords } from '../live/listing.ts';
import { loadMoreAgents } from '../live/load.ts';
import { agentCounts, agents, agentsBeyond, agentTotal, isStale } from '../live/store.ts';
import { ViewSwitch } from '../parts/choice.tsx';
import { Counts } from '../parts/counts.tsx';
import { Empty, NoResults } from '../parts/empty.tsx';
import { FilterBar, FilterSelect } from '../parts/filter-bar.tsx';
import { Icon } from '../parts/icon.tsx';
import { LoadFailed } from '../parts/load-failed.tsx';
import { NewItems } from '../parts/new-items.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { AgentSign } from '../parts/status.tsx';
import { AGENT_STATUSES, statusNamed } from '../parts/statuses.ts';
import { agentsPath, PATHS } from '../routes.ts';
import { SortField } from './agent-sort.tsx';
import { AgentTable } from './agent-table.tsx';
import { agentsToExport, figuresToExport } from './export-agents.ts';
import { FiguresTable } from './figures-table.tsx';
import { FIGURE_COLUMNS, type RosterRow, STATUS_COLUMNS, sortNamed } from './roster.ts';
import { RunningTasks, useHeldRows, useRoster } from './use-roster.tsx';

export default function AgentsPage() {
  const text = words.value.agents;
  const isFigures = useAddress().query['view'] === 'figures';
  return (
    <div class="page" data-stale={isStale.value}>
      <PageHead title={text.title} total={agentTotal.value ?? undefined}>
        <AgentViews isFigures={isFigures} />
        <a class="button button-primary" href={PATHS.connect}>
          <Icon name="plus" />
          {words.value.frame.connect}
        </a>
      </PageHead>
      <LoadFailed />
      <section class="panel" aria-label={text.title}>
        <StatusCounts />
        <Filters isFigures={isFigures} />
        <RunningTasks />
        {isFigures ? <FiguresList /> : <StatusList />}
      </section>
    </div>
  );
}

function AgentViews({ isFigures }: { isFigures: boolean }) {
  const { pathWith } = useAddress();
  const { view, views } = words.value.agents;
  const status = pathWith({ view: undefined, span: undefined, sort: undefined });
  const figures = pathWith({ view: 'figures', sort: undefined });
  return (
    <ViewSwitch
      label={view}
      options={[
        { icon: 'table', label: views.status, href: status, isCurrent: !isFigures },
        { icon: 'board', label: views.figures, href: figures, isCurrent: isFigures },
      ]}
    />
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
    href: pathWith({ status: chosen === status ? undefined : status }),
    chosen: chosen === status,
    sign: <AgentSign status={status} />,
  }));
  return <Counts label={text.filter} counts={counts} />;
}

function Filters({ isFigures }: { isFigures: boolean }) {
  const { query } = useAddress();
  const { filters } = words.value;
  const { view, span, sort } = query;
  const servers = [...new Set(agents.value?.flatMap(({ server }) => server ?? []))].sort();
  const isSet = ['text', 'status', 'server'].some((name) => query[name] !== undefined);
  return (
    <FilterBar search={filters.searchAgents} clearPath={isSet ? agentsPath({ view, span, sort }) : undefined}>
      {(servers.length > 0 || query['server'] !== undefined) && (
        <FilterSelect
          name="server"
          label={filters.server}
          any={filters.anyServer}
          options={servers.map((value) => ({ value, label: value }))}
        />
      )}
      {isFigures && <SpanFilter />}
      <SortField sort={sortNamed(sort)} columns={isFigures ? FIGURE_COLUMNS : STATUS_COLUMNS} />
      <FilterMenu page="agents" />
      <ExportButton
        list={isFigures ? figuresToExport(spanIn(query), matcherOf(query)) : agentsToExport(matcherOf(query))}
      />
    </FilterBar>
  );
}

function SpanFilter() {
  const { overview, figures } = words.value;
  const options = SPAN_NAMES.slice(1).map((value) => ({ value, label: figures.spans[value] }));
  return <FilterSelect name="span" label={overview.span} any={figures.spans.hour} options={options} />;
}

function StatusList() {
  const all = useRoster();
  if (all === null) return <SkeletonRows />;
  return <Rows all={all} table={(rows) => <AgentTable rows={rows} />} />;
}

function FiguresList() {
  const { known, failed } = useFleetFigures(spanIn(useAddress().query));
  const figures = known.value;
  const roster = useRoster();
  const all = useMemo(
    () => roster?.map((row) => ({ ...row, figures: figures?.byAlias.get(row.agent.alias) })),
    [roster, figures],
  );
  if (failed.value && figures === null) return <p class="list-empty">{words.value.live.listFailed}</p>;
  if (all === undefined || figures === null) return <SkeletonRows />;
  return (
    <>
      <Rows all={all} table={(rows) => <FiguresTable rows={rows} network={figures.network} />} />
      <p class="figure-note">{noteOf(figures.network)}</p>
    </>
  );
}

type RowsProps = { all: readonly RosterRow[]; table(rows: readonly RosterRow[]): ComponentChildren };

function Rows({ all, table }: RowsProps) {
  const { query } = useAddress();
  const matches = useMemo(() => matcherOf(query), [query]);
  const { ref, rows, waiting, showWaiting } = useHeldRows(all, matches);
  return (
    <div ref={ref}>
      <NewItems n={waiting} onShow={showWaiting} text={words.value.agents.newAgents} />
      {rows.length === 0 ? <NoAgents all={all} /> : table(rows)}
      {agentsBeyond.value !== null && <More loaded={all.length} />}
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

/** True when every search word occurs in the visible fields of the agent. */
function matcherOf(query: Record<string, string>): (row: RosterRow) => boolean {
  const status = statusNamed(AGENT_STATUSES, query['status']);
  const server = query['server'];
  return ({ agent, work }) =>
    (status === undefined || agent.status === status) &&
    (server === undefined || agent.server === server) &&
    matchesWords(query['text'], [agent.alias, agent.agent, agent.model, agent.hostname, agent.server, work]);
}

function NoAgents({ all }: { all: readonly RosterRow[] }) {
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
