// A status as icon and text; the color is redundant. Keyed by status, so that a change is animated.
import { useRef } from 'preact/hooks';
import type { SessionStatus } from '../../server/domain/session.ts';
import type { Priority, TaskStatus } from '../../server/domain/task-status.ts';
import { words } from '../i18n/language.ts';
import { Icon, type IconName } from './icon.tsx';

/** The statuses that need somebody differ in shape too. */
const SIGNS: Partial<Record<SessionStatus | 'stuck', IconName>> = {
  waiting_input: 'help',
  error: 'warning',
  blocked: 'cancelled',
  stuck: 'clock',
};

export function AgentSign({ status }: { status: SessionStatus | 'stuck' }) {
  const icon = SIGNS[status];
  return <span class="agent-sign">{icon === undefined ? <span class="dot" /> : <Icon name={icon} />}</span>;
}

export function AgentStatus({ status, isStuck = false }: { status: SessionStatus; isStuck?: boolean }) {
  return (
    <span key={status} class="status" data-status={status} data-changed={useChanged(status)}>
      <AgentSign status={isStuck ? 'stuck' : status} />
      <span class="status-word">{words.value.agentStatus[status]}</span>
    </span>
  );
}

export function TaskState({ status }: { status: TaskStatus }) {
  return (
    <span key={status} class="status" data-status={status} data-changed={useChanged(status)}>
      <Icon name={status} />
      <span class="status-word">{words.value.taskStatus[status]}</span>
    </span>
  );
}

/** Whether the status has changed since the first render. */
function useChanged(status: string): boolean {
  const first = useRef(status);
  return first.current !== status;
}

export function TaskPriority({ priority }: { priority: Priority }) {
  return (
    <span class="priority" data-priority={priority} title={words.value.priority[priority]}>
      {priority !== 'normal' && <Icon name={priority} />}
      <span class="priority-word">{words.value.priority[priority]}</span>
    </span>
  );
}
