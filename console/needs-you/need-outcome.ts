// What happened to a need that left the list, in the language of the page.
import { words } from '../i18n/language.ts';
import { hubTime } from '../live/clock.ts';
import { agentsByAlias } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { momentOf } from '../parts/format.ts';
import type { IconName } from '../parts/icon.tsx';
import { answeredKey, dismissedKey } from './agent-needs.ts';
import { type AgentNeed, agentNeedOf, isPast, itemKeys, type Need, type TaskNeed } from './need.ts';
import { answeredMail, visit } from './visit.ts';

/** The check marks what somebody or an agent took care of. */
type Outcome = { text: string; icon: IconName };

/** `all` is what is in the list now. */
export function needOutcome(need: Need, all: readonly Need[]): Outcome {
  const { needsYou } = words.value;
  const dismissed = new Set(visit.value.dismissed);
  const asker = agentNeedOf(need);
  const taken = asker && takenOutcome(asker);
  if (taken !== undefined && !asker?.isAnswered) return taken;
  if ('agent' in need)
    return dismissed.has(dismissedKey(need.key, need.agent)) ? done(needsYou.dismissed) : agentOutcome(need, dismissed);
  if ('messages' in need && need.messages.some(({ id }) => answeredMail.has(id))) return done(needsYou.answered);
  if (itemKeys(need).some((key) => dismissed.has(key))) return done(needsYou.dismissed);
  if ('tasks' in need && all.some((other) => isPartOf(need, other)))
    return { text: needsYou.groupedTasks, icon: 'tasks' };
  if (need.kind !== 'mail') return need.kind === 'results' ? done(needsYou.read) : taskOutcome(need);
  const isGrouped = all.some((other) => other.kind === 'mail' && other.messages.some(({ id }) => id === need.shown.id));
  return isGrouped ? { text: needsYou.grouped, icon: 'message' } : done(needsYou.read);
}

function done(text: string): Outcome {
  return { text, icon: 'check' };
}

function isPartOf({ kind, task }: TaskNeed, group: Need): boolean {
  return group.kind === kind && 'tasks' in group && group.tasks.some(({ task_id }) => task_id === task.task_id);
}

function agentOutcome(need: AgentNeed, dismissed: ReadonlySet<string>): Outcome {
  const { key, kind, agent, isAnswered } = need;
  const { needsYou, agentStatus } = words.value;
  const status = agentsByAlias.value?.get(agent.alias)?.status ?? 'offline';
  const isBack = status === 'working' || status === 'idle';
  // An agent that was lost has asked nothing: it has recovered without an answer.
  const hasRecovered = kind === 'stuck' && isBack;
  if (!hasRecovered && (isAnswered || dismissed.has(answeredKey(key, agent)))) return done(needsYou.answered);
  return isBack ? done(needsYou.recovered) : { text: agentStatus[status], icon: 'agents' };
}

/** What happened to the task of an agent that no longer has it, unless the agent settled it. */
function takenOutcome({ agent, task }: AgentNeed): Outcome | undefined {
  const now = task && taskKnown(task.task_id);
  if (now?.status === 'cancelled') return { text: words.value.taskStatus.cancelled, icon: 'cancelled' };
  return now === undefined || now.to_name === agent.alias ? undefined : reassigned(now.to_name);
}

function reassigned(to_name: string): Outcome {
  return { text: words.value.task.reassigned(to_name), icon: 'arrow' };
}

function taskOutcome({ kind, task }: TaskNeed): Outcome {
  const { needsYou, taskStatus } = words.value;
  const { status, fetched_at, attempt, to_name, expires_at } = taskKnown(task.task_id) ?? task;
  if (status === 'replied') return done(needsYou.done);
  if (isPast(kind) && status === kind) return done(needsYou.dismissed);
  if (to_name !== task.to_name) return reassigned(to_name);
  if (status !== 'delivered') return { text: taskStatus[status], icon: status };
  // Its event is on the way.
  if (momentOf(expires_at) <= hubTime()) return { text: taskStatus.expired, icon: 'expired' };
  if (attempt !== task.attempt) return { text: needsYou.sentAgain, icon: 'retry' };
  // Without it, its agent goes on with others.
  return fetched_at === undefined ? done(needsYou.recovered) : { text: needsYou.fetched, icon: 'inbox' };
}
