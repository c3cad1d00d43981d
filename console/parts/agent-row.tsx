// One agent. All it says of itself is text and nothing but text.
import type { Agent } from '../api.ts';
import { excerpt } from '../format.ts';
import { words } from '../i18n/language.ts';
import { mayWrite } from '../store.ts';
import { Age } from './age.tsx';
import { Icon } from './icon.tsx';
import { Progress } from './progress.tsx';
import { openSendTask } from './send-task.tsx';
import { AgentStatus } from './status.tsx';

export function AgentRow({ agent }: { agent: Agent }) {
  return (
    <tr role="row" class="row" data-status={agent.status}>
      <td role="cell" class="cell-agent">
        <span class="row-main" dir="auto" title={agent.alias}>{agent.alias}</span>
        <Nature agent={agent} />
      </td>
      <td role="cell" class="cell-status"><AgentStatus status={agent.status} /></td>
      <td role="cell" class="cell-work"><Work agent={agent} /></td>
      <td role="cell" class="cell-inbox"><InboxCount count={agent.inbox_count} /></td>
      <td role="cell" class="cell-age"><Age of={agent.last_seen_at} /></td>
      {mayWrite.value && <td role="cell" class="cell-act"><SendButton alias={agent.alias} /></td>}
    </tr>
  );
}

/** What it is and where it runs: kind, model, host. */
function Nature({ agent }: { agent: Agent }) {
  const nature = [...new Set([agent.agent, agent.model, agent.hostname, agent.server])].filter(Boolean).join(' · ');
  return nature === '' ? null : <span class="row-side" dir="auto" title={nature}>{nature}</span>;
}

function Work({ agent }: { agent: Agent }) {
  const task = excerpt(agent.task ?? '');
  return (
    <>
      {task !== '' && <span class="row-text" dir="auto" title={task}>{task}</span>}
      {agent.progress !== null && agent.status !== 'offline' && <Progress percent={agent.progress} label={agent.alias} />}
    </>
  );
}

function InboxCount({ count }: { count: number | undefined }) {
  if (count === undefined || count === 0) return null;
  return (
    <span class="badge" title={words.value.agents.inbox(count)}>
      <Icon name="inbox" />
      {count}
      <span class="off-screen">{words.value.agents.inbox(count)}</span>
    </span>
  );
}

function SendButton({ alias }: { alias: string }) {
  const label = words.value.agents.send(alias);
  return (
    <button type="button" class="button button-quiet button-icon" aria-label={label} title={label} onClick={() => openSendTask(alias)}>
      <Icon name="send" />
    </button>
  );
}
