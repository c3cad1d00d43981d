// A row of the list of agents: current task, progress and last output. The row links to the page of the agent, and the
// current task to the page of the task.
import { useComputed } from '@preact/signals';
import { withoutControls } from '../../server/domain/text/controls.ts';
import { language, words } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { mayWrite } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { Age } from '../parts/age.tsx';
import { age, exactTime, momentOf } from '../parts/format.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { AgentStatus } from '../parts/status.tsx';
import { agentPath, taskPath } from '../routes.ts';
import { Progress } from './progress.tsx';
import { progressShown, type RosterRow } from './roster.ts';

export function AgentRow({ row }: { row: RosterRow }) {
  const { agent, stuckSince } = row;
  const { alias, status } = agent;
  const percent = progressShown(row);
  return (
    <tr role="row" class="row" data-status={status} data-stuck={stuckSince !== undefined}>
      <th role="rowheader" scope="row" class="cell-agent">
        <a class="row-link" href={agentPath(alias)} dir="auto" title={alias}>
          {alias}
        </a>
        {agent.agent && <Side text={agent.agent} />}
      </th>
      <td role="cell" class="cell-status">
        <AgentStatus status={status} isStuck={stuckSince !== undefined} />
        <StatusNote since={agent.status_since} stuckSince={stuckSince} />
      </td>
      <td role="cell" class="cell-task">
        <Work row={row} />
        {agent.last_output && <Side text={agent.last_output} />}
      </td>
      <td role="cell" class="cell-progress">
        {percent !== undefined && <Progress percent={percent} label={alias} />}
      </td>
      <td role="cell" class="cell-model">
        <Text text={agent.model} />
      </td>
      <td role="cell" class="cell-host">
        <Text text={agent.hostname ?? agent.server} title={hostOf(row)} />
      </td>
      <td role="cell" class="cell-inbox">
        <InboxCount count={agent.inbox_count} />
      </td>
      <td role="cell" class="cell-seen">
        <Age of={agent.last_seen_at} />
      </td>
      <td role="cell" class="cell-actions">
        {mayWrite.value && (
          <IconButton icon="send" label={words.value.agents.send(alias)} onClick={() => openSend(alias)} />
        )}
      </td>
    </tr>
  );
}

function hostOf({ agent: { hostname, server } }: RosterRow): string {
  return [...new Set([hostname, server])].filter(Boolean).join(' · ');
}

function Text({ text, title }: { text: string | null | undefined; title?: string }) {
  return (
    <span class="row-text" dir="auto" title={title ?? text ?? ''}>
      {text}
    </span>
  );
}

function Side({ text }: { text: string }) {
  return (
    <span class="row-side" dir="auto" title={text}>
      {withoutControls(text)}
    </span>
  );
}

/** Since when an agent has its status, or, if it is stuck, made no progress. */
export function StatusNote({ since, stuckSince }: { since: string; stuckSince: number | undefined }) {
  const moment = momentOf(since);
  return stuckSince === undefined ? (
    <StatusAge key={moment} since={moment} />
  ) : (
    <StuckNote key={stuckSince} since={stuckSince} />
  );
}

function StatusAge({ since }: { since: number }) {
  const text = useComputed(() => words.value.agents.statusFor(age(since, now.value, language.value)));
  return (
    <time class="status-age" title={exactTime(since, language.value)}>
      {text}
    </time>
  );
}

/** A separate component, so that the clock updates only this text. */
function StuckNote({ since }: { since: number }) {
  const text = useComputed(() => words.value.agents.stuck(age(since, now.value, language.value)));
  return (
    <span class="stuck-note" title={words.value.agents.stuckHint}>
      {text}
    </span>
  );
}

function Work({ row: { task, work } }: { row: RosterRow }) {
  if (work === '') return null;
  return task === undefined ? (
    <Text text={work} />
  ) : (
    <a class="row-text work-link" href={taskPath(task.task_id)} dir="auto" title={work}>
      {work}
    </a>
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
