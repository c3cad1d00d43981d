// Explains the status of a task in the language of the page, with current times, from the facts that the hub returns
// with its explanation.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import type { Words } from '../i18n/en.ts';
import type { Agent, WhyFacts } from '../live/api.ts';
import { duration, headline, momentOf } from '../parts/format.ts';

type Context = { now: number; language: string; words: Pick<Words, 'task' | 'taskStatus'> };

/** `later` is what the agent of a running task works on instead. */
export function explainTask(task: TaskRecord, facts: WhyFacts, context: Context, later?: TaskRecord): string[] {
  if (!isLive(task)) return finishedSentences(task, context);
  const { whyText } = context.words.task;
  const expires = whyText.expires(until(task.expires_at, context));
  const isAlone = facts.assignee_status === 'offline' || facts.assignee_status === 'unknown';
  const presence =
    later === undefined
      ? presenceSentence(task.to_name, facts, context)
      : whyText.later(task.to_name, headline(later.content));
  if (task.status === 'running')
    return [presence, whyText.started(since(task.started_at, context)), ...(isAlone ? [expires] : [])];
  const ahead = facts.messages_ahead === 0 ? whyText.next : whyText.ahead(facts.messages_ahead);
  return [presence, ahead, ...deliverySentences(task, context), expires];
}

/**
 * The explanation for a waiting task without a request: the status of its agent and the last step of the task. Empty
 * for a task that is finished or running with a present agent.
 */
export function explainBriefly(task: TaskRecord, agent: Agent | undefined, context: Context): string[] {
  if (!isLive(task)) return [];
  const presence = presenceSentence(
    task.to_name,
    { assignee_status: agent?.status ?? 'unknown', assignee_last_seen_at: agent?.last_seen_at ?? null },
    context,
  );
  if (task.status === 'running') return agent === undefined || agent.status === 'offline' ? [presence] : [];
  const inbox = agent?.inbox_count ?? 0;
  const furthest = deliverySentences(task, context).at(task.notified_at === undefined ? -1 : 0) ?? '';
  return [presence, ...(inbox > 1 ? [context.words.task.whyText.inbox(inbox)] : []), furthest];
}

function finishedSentences(task: TaskRecord, context: Context): string[] {
  const {
    task: { whyText },
    taskStatus,
  } = context.words;
  return [
    whyText.finished(taskStatus[task.status], since(task.completed_at, context)),
    ...(task.status === 'expired' && task.started_at === null ? [whyText.notStarted(task.to_name)] : []),
    ...(task.attempt > 1 ? [whyText.attempt(task.attempt)] : []),
  ];
}

export function presenceSentence(
  alias: string,
  { assignee_status: status, assignee_last_seen_at }: Omit<WhyFacts, 'messages_ahead'>,
  context: Context,
): string {
  const { whyText } = context.words.task;
  if (status === 'unknown') return whyText.unknown(alias);
  return status === 'offline'
    ? whyText.offline(alias, since(assignee_last_seen_at, context))
    : whyText.present[status](alias);
}

function deliverySentences({ notified_at, fetched_at }: TaskRecord, context: Context): string[] {
  const { whyText } = context.words.task;
  if (fetched_at !== undefined) return [whyText.fetched(since(fetched_at, context))];
  return [
    notified_at === undefined ? whyText.neverPushed : whyText.pushed(since(notified_at, context)),
    whyText.neverFetched,
  ];
}

function since(timestamp: string | null, { now, language }: Context): string {
  return duration(now - momentOf(timestamp ?? ''), language);
}

function until(timestamp: string, { now, language }: Context): string {
  return duration(momentOf(timestamp) - now, language);
}
