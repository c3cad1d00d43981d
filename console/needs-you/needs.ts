// Finds and sorts what needs a person. A pure function of the loaded data.
import { agentNeeds, dismissedKey, isAnswerKey } from './agent-needs.ts';
import { mailNeeds } from './mail-needs.ts';
import { agentNeedOf, byUrgency, isFailure, isPast, itemKeys, type Known, type Need } from './need.ts';
import { taskNeeds } from './task-needs.ts';

/** An agent that needs somebody stands for its task as well. */
export function findNeeds(known: Known): Need[] {
  const agents = agentNeeds(known);
  const mail = mailNeeds(known, agents);
  const askers = new Set(mail.map((need) => (need.kind === 'mail' ? need.asker : undefined)));
  const halted = new Set(agents.flatMap(({ isAnswered, task }) => (isAnswered || !task ? [] : [task.task_id])));
  const tasks = taskNeeds(known).filter(({ kind, task }) => isPast(kind) || !halted.has(task.task_id));
  return [...agents.filter((need) => !askers.has(need)), ...mail, ...tasks].sort(byUrgency);
}

/** Those that the person has dismissed and that would still be in the list. Past failures are in the list of tasks. */
export function findDismissed(known: Known): Need[] {
  const answers = new Set([...known.dismissed].filter(isAnswerKey));
  if (answers.size === known.dismissed.size) return [];
  return findNeeds({ ...known, dismissed: answers }).filter(
    (need) => !isFailure(need) && dismissalKeys(need).some((key) => known.dismissed.has(key)),
  );
}

/** All keys under which a need may have been dismissed. */
export function dismissalKeys(need: Need): string[] {
  const asker = agentNeedOf(need);
  return [need.key, ...itemKeys(need), ...(asker === undefined ? [] : [dismissedKey(asker.key, asker.agent)])];
}
