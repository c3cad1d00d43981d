// The agents of the network: how many are in which state, and the list of them or of those in one state.
import { useSignal } from '@preact/signals';
import type { SessionStatus } from '../../server/domain/session.ts';
import type { Agent } from '../api.ts';
import { words } from '../i18n/language.ts';
import { livePath, PATHS } from '../routes.ts';
import { AGENT_STATUSES } from '../statuses.ts';
import { agents, mayWrite } from '../store.ts';
import { AgentRow } from './agent-row.tsx';
import { Counts } from './counts.tsx';
import { Empty } from './empty.tsx';
import { Panel } from './panel.tsx';
import { SkeletonRows } from './skeleton.tsx';

export type AgentPanelProps = { status: SessionStatus | undefined; tasks: string | undefined };

export function AgentPanel(props: AgentPanelProps) {
  const text = words.value.agents;
  return (
    <Panel id="agents" title={text.title} total={agents.value?.length}>
      <AgentCounts {...props} />
      {agents.value === null ? <SkeletonRows /> : <AgentList {...props} all={agents.value} />}
    </Panel>
  );
}

function AgentCounts({ status: chosen, tasks }: AgentPanelProps) {
  const { agents: text, agentStatus } = words.value;
  const counts = AGENT_STATUSES.map((status) => ({
    status,
    label: agentStatus[status],
    count: agents.value?.filter((agent) => agent.status === status).length,
    href: livePath({ tasks, agents: chosen === status ? undefined : status }),
    chosen: chosen === status,
    sign: <span class="dot" />,
  }));
  return <Counts label={text.filter} counts={counts} />;
}

function AgentList({ all, status, tasks }: AgentPanelProps & { all: readonly Agent[] }) {
  const { agents: text, agentStatus } = words.value;
  const list = status === undefined ? all : all.filter((agent) => agent.status === status);
  if (all.length === 0) {
    return (
      <Empty title={text.emptyTitle} text={text.emptyText}>
        <a class="button button-primary" href={PATHS.connect}>{text.emptyAct}</a>
      </Empty>
    );
  }
  if (status !== undefined && list.length === 0) {
    return (
      <Empty title={text.noneTitle(agentStatus[status])}>
        <a class="link" href={livePath({ tasks })}>{text.clear}</a>
      </Empty>
    );
  }
  return <AgentTable list={list} />;
}

/** So many rows at first: the tasks below must not be a long way off on a phone. */
const ROWS = 50;

function AgentTable({ list }: { list: readonly Agent[] }) {
  const { agents: text } = words.value;
  const whole = useSignal(false);
  const shown = whole.value ? list : list.slice(0, ROWS);
  return (
    <>
      <table class="list agent-list" role="table">
        <AgentHead />
        <tbody role="rowgroup">
          {shown.map((agent) => <AgentRow key={agent.resume_id} agent={agent} />)}
        </tbody>
      </table>
      {shown.length < list.length && (
        <button type="button" class="button panel-more" onClick={() => (whole.value = true)}>{text.showAll(list.length)}</button>
      )}
    </>
  );
}

function AgentHead() {
  const { column } = words.value.agents;
  return (
    <thead role="rowgroup">
      <tr role="row">
        <th role="columnheader" class="cell-agent">{column.agent}</th>
        <th role="columnheader" class="cell-status">{column.status}</th>
        <th role="columnheader" class="cell-work">{column.work}</th>
        <th role="columnheader" class="cell-inbox">{column.inbox}</th>
        <th role="columnheader" class="cell-age">{column.seen}</th>
        {mayWrite.value && <th role="columnheader" class="cell-act"><span class="off-screen">{column.act}</span></th>}
      </tr>
    </thead>
  );
}
