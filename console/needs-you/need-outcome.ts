// What happened to a need that left the list, in the language of the page.
import { words } from '../i18n/language.ts';
import { hubTime } from '../live/clock.ts';
import { agentsByAlias } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { momentOf } from '../parts/format.ts';
import { answeredKey, dismissedKey } from './agent-needs.ts';
import { type AgentNeed, agentNeedOf, isPast, itemKeys, type Need, type TaskNeed } from './need.ts';
import { answeredMail, visit } from './visit.ts';

/** `all` is what is in the list now. */
export function needOutcome(need: Need, all: readonly Need[]): string {
  const { needsYou } = words.value;
  const dismissed = new Set(visit.value.dismissed);
  const asker = agentNeedOf(need);
  const taken = asker && takenOutcome(asker);
  if (taken !== undefined && !asker?.isAnswered) return taken;
  if ('agent' in need)
    return dismissed.has(dismissedKey(need.key, need.agent)) ? needsYou.dismissed : agentOutcome(need, dismissed);
  if ('messages' in need && need.messages.some(({ id }) => answeredMail.has(id))) return needsYou.answered;
  if ([...itemKeys(need)].some((key) => dismissed.has(key))) return needsYou.dismissed;
  if ('tasks' in need && all.some((other) => isPartOf(need, other))) return needsYou.groupedTasks;
  if (need.kind !== 'mail') return need.kind === 'results' ? needsYou.read : taskOutcome(need);
  const isGrouped = all.some((other) => other.kind === 'mail' && other.messages.some(({ id }) => id === need.shown.id));
  return isGrouped ? needsYou.grouped : needsYou.read;
}

function isPartOf({ kind, task }: TaskNeed, group: Need): boolean {
  return group.kind === kind && 'tasks' in group && group.tasks.some(({ task_id }) => task_id === task.task_id);
}

function agentOutcome(need: AgentNeed, dismissed: ReadonlySet<string>): string {
  const { key, agent, isAnswered } = need;
  const { needsYou, agentStatus } = words.value;
  if (isAnswered || dismissed.has(answeredKey(key, agent))) return needsYou.answered;
  const status = agentsByAlias.value?.get(agent.alias)?.status ?? 'offline';
  return status === 'working' || status === 'idle' ? needsYou.recovered : agentStatus[status];
}

/** What happened to the task of an agent that no longer has it, unless the agent settled it. */
function takenOutcome({ agent, task }: AgentNeed): string | undefined {
  const now = task && taskKnown(task.task_id);
  if (now?.status === 'cancelled') return words.value.taskStatus.cancelled;
  return now === undefined || now.to_name === agent.alias ? undefined : words.value.task.reassigned(now.to_name);
}

function taskOutcome({ kind, task }: TaskNeed): string {
  const { needsYou, taskStatus } = words.value;
  const { status, fetched_at, attempt, to_name, expires_at } = taskKnown(task.task_id) ?? task;
  if (status === 'replied') return needsYou.done;
  if (isPast(kind) && status === kind) return needsYou.dismissed;
  if (to_name !== task.to_name) return words.value.task.reassigned(to_name);
  if (status !== 'delivered') return taskStatus[status];
  if (momentOf(expires_at) <= hubTime()) return taskStatus.expired; // its event is on the way
  return attempt !== task.attempt || fetched_at === undefined ? needsYou.sentAgain : needsYou.fetched;
}
