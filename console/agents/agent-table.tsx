// The table of agents. Everything that agents report is rendered as plain text.
import { words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import { mayWrite } from '../live/store.ts';
import { openSend } from '../messages/send-dialog.tsx';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { AgentStatus } from '../parts/status.tsx';
import { WindowedRows } from '../parts/windowed/windowed-rows.tsx';
import { agentPath } from '../routes.ts';
import { Progress } from './progress.tsx';

export function AgentTable({ list }: { list: readonly Agent[] }) {
  return (
    <table class="list agent-list" role="table" aria-rowcount={list.length + 1}>
      <Head />
      <WindowedRows tag="tbody" rows={list} keyOf={keyOf} render={(agent) => <Row agent={agent} />} />
    </table>
  );
}

const keyOf = ({ resume_id }: Agent) => resume_id;

const COLUMNS = ['agent', 'status', 'task', 'model', 'host', 'inbox', 'seen'] as const;

function Head() {
  const { column } = words.value.agents;
  return (
    <thead role="rowgroup">
      <tr role="row">
        {COLUMNS.map((name) => (
          <th key={name} role="columnheader" scope="col" class={`cell-${name}`}>
            {column[name]}
          </th>
        ))}
        <th role="columnheader" scope="col" class="cell-actions">
          <span class="visually-hidden">{column.actions}</span>
        </th>
      </tr>
    </thead>
  );
}

function Row({ agent }: { agent: Agent }) {
  const host = [...new Set([agent.hostname, agent.server])].filter(Boolean).join(' · ');
  return (
    <tr role="row" class="row" data-status={agent.status}>
      <th role="rowheader" scope="row" class="cell-agent">
        <a class="row-link" href={agentPath(agent.alias)} dir="auto" title={agent.alias}>
          {agent.alias}
        </a>
        {agent.agent && (
          <span class="row-side" dir="auto">
            {agent.agent}
          </span>
        )}
      </th>
      <td role="cell" class="cell-status">
        <AgentStatus status={agent.status} />
      </td>
      <td role="cell" class="cell-task">
        <Work agent={agent} />
      </td>
      <td role="cell" class="cell-model">
        <span class="row-text" dir="auto" title={agent.model ?? ''}>
          {agent.model}
        </span>
      </td>
      <td role="cell" class="cell-host">
        <span class="row-text" dir="auto" title={host}>
          {agent.hostname ?? agent.server}
        </span>
      </td>
      <td role="cell" class="cell-inbox">
        <InboxCount count={agent.inbox_count} />
      </td>
      <td role="cell" class="cell-seen">
        <Age of={agent.last_seen_at} />
      </td>
      <td role="cell" class="cell-actions">
        {mayWrite.value && (
          <IconButton icon="send" label={words.value.agents.send(agent.alias)} onClick={() => openSend(agent.alias)} />
        )}
      </td>
    </tr>
  );
}

function Work({ agent }: { agent: Agent }) {
  const task = headline(agent.task ?? '');
  return (
    <>
      {task !== '' && (
        <span class="row-text" dir="auto" title={task}>
          {task}
        </span>
      )}
      {agent.progress !== null && task !== '' && agent.status !== 'offline' && (
        <Progress percent={agent.progress} label={agent.alias} />
      )}
    </>
  );
}

function InboxCount({ count }: { count: number | undefined }) {
  if (count === undefined || count === 0) return null;
  const label = words.value.agents.inbox(count);
  return (
    <span class="badge" title={label}>
      <Icon name="inbox" />
      {count}
      <span class="visually-hidden">{label}</span>
    </span>
  );
}
