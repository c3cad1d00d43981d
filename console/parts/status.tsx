// A status as icon and text; the color is redundant. Keyed by status, so that a change is animated.
import { useRef } from 'preact/hooks';
import type { SessionStatus } from '../../server/domain/session.ts';
import type { Priority, TaskStatus } from '../../server/domain/task-status.ts';
import { words } from '../i18n/language.ts';
import { Icon } from './icon.tsx';

export function AgentStatus({ status }: { status: SessionStatus }) {
  return (
    <span key={status} class="status" data-status={status} data-changed={useChanged(status)}>
      <span class="dot" />
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
