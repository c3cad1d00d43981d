// Builds the timeline of an agent from its tasks, messages and completions, newest first.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import type { CompletionRecord, MessageRecord } from '../live/api.ts';

export type TimelineEvent = {
  key: string;
  at: string;
  kind: 'sent' | 'fetched_at' | 'started_at' | 'message' | 'completion' | TaskStatus;
  text: string;
  task_id?: string;
};

const MAX_EVENTS = 40;

export function historyOf(
  tasks: readonly TaskRecord[],
  messages: readonly MessageRecord[],
  completions: readonly CompletionRecord[],
): TimelineEvent[] {
  return [
    ...tasks.flatMap(momentsOf),
    ...messages
      .filter(({ type }) => type !== 'task')
      .map(
        ({ id, created_at, content }): TimelineEvent => ({ key: id, at: created_at, kind: 'message', text: content }),
      ),
    ...completions.map(
      ({ id, completed_at, task }): TimelineEvent => ({ key: id, at: completed_at, kind: 'completion', text: task }),
    ),
  ]
    .sort(newestFirst)
    .slice(0, MAX_EVENTS);
}

/** Timestamps have a resolution of one second. Within one second the step order decides: the later step comes first. */
function momentsOf(task: TaskRecord): TimelineEvent[] {
  const { task_id, content: text } = task;
  const moment = (kind: TimelineEvent['kind'], at: string | null | undefined): TimelineEvent[] =>
    at ? [{ key: `${task_id} ${kind}`, at, kind, text, task_id }] : [];
  return [
    ...moment(task.status, task.completed_at),
    ...moment('started_at', task.started_at),
    ...moment('fetched_at', task.fetched_at),
    ...moment('sent', task.delivered_at),
  ];
}

function newestFirst(one: TimelineEvent, other: TimelineEvent): number {
  return one.at < other.at ? 1 : one.at > other.at ? -1 : 0;
}
