// Finds and sorts what needs a person. A pure function of the loaded data.
import { momentOf } from '../parts/format.ts';
import { agentNeeds, dismissedKey, isAnswerKey } from './agent-needs.ts';
import { mailNeeds, openQuestion } from './mail-needs.ts';
import { agentNeedOf, byUrgency, isFailure, isPast, itemKeys, type Known, type Need, type TaskNeed } from './need.ts';
import { taskNeeds } from './task-needs.ts';

/** An agent that needs somebody stands for its task as well. */
export function findNeeds(known: Known): Need[] {
  const agents = agentNeeds(known).map((need) => ({ ...need, question: openQuestion(known, need) }));
  const mail = mailNeeds(known, agents);
  const askers = new Set(mail.map((need) => (need.kind === 'mail' ? need.asker : undefined)));
  const held = Map.groupBy(agents, ({ task }) => task?.task_id);
  // While an agent is answered, its task may also expire, but nobody has left it.
  const isHeld = ({ kind, task }: TaskNeed): boolean =>
    held.get(task.task_id)?.some(({ isAnswered }) => !isAnswered || kind === 'abandoned') ?? false;
  const tasks = taskNeeds(known).filter((need) => isPast(need.kind) || !isHeld(need));
  return [...agents.filter((need) => !askers.has(need)), ...mail, ...tasks].sort(byUrgency);
}

/** An older failure is in the list of tasks alone. */
export const RESTORABLE_MS = 3_600_000;

/** Those that the person has dismissed and that would still be in the list. */
export function findDismissed(known: Known): Need[] {
  const answers = new Set([...known.dismissed].filter(isAnswerKey));
  if (answers.size === known.dismissed.size) return [];
  return findNeeds({ ...known, dismissed: answers }).filter(
    (need) => isRestorable(need, known.now) && dismissalKeys(need).some((key) => known.dismissed.has(key)),
  );
}

function isRestorable(need: Need, now: number): boolean {
  return !isFailure(need) || momentOf(need.since) > now - RESTORABLE_MS;
}

/** All keys under which a need may have been dismissed. */
export function dismissalKeys(need: Need): string[] {
  const asker = agentNeedOf(need);
  return [need.key, ...itemKeys(need), ...(asker === undefined ? [] : [dismissedKey(asker.key, asker.agent)])];
}
