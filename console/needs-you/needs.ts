// Finds and sorts what needs a person. A pure function of the loaded data.
import { agentNeeds } from './agent-needs.ts';
import { mailNeeds } from './mail-needs.ts';
import { byUrgency, type Known, type Need } from './need.ts';
import { taskNeeds } from './task-needs.ts';

export function findNeeds(known: Known): Need[] {
  const agents = agentNeeds(known);
  const mail = mailNeeds(known, agents);
  const askers = new Set(mail.map((need) => (need.kind === 'mail' ? need.asker : undefined)));
  return [...agents.filter((need) => !askers.has(need)), ...mail, ...taskNeeds(known)].sort(byUrgency);
}
