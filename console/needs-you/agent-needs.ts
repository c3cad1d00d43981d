// Finds the agents that need input, are blocked, report an error or are stuck.
import type { TaskRecord } from '../../server/domain/task.ts';
import { stuckSince } from '../agents/roster.ts';
import type { Agent } from '../live/api.ts';
import { stampOf } from '../parts/format.ts';
import { type AgentNeed, ANSWERED_RANK, actsFor, type HaltedAgent, type Known, RANKS } from './need.ts';

export function isHalted(agent: Agent): agent is HaltedAgent {
  return agent.status === 'waiting_input' || agent.status === 'blocked' || agent.status === 'error';
}

export function agentKey({ status, alias }: Agent): string {
  return `agent ${status} ${alias}`;
}

/** Whether this key of a dismissed agent belongs to a status that has ended. */
export function isOver(key: string, halted: readonly string[]): boolean {
  return key.startsWith(`${DISMISSED}agent `) && !halted.includes(key);
}

export function agentNeeds(known: Known): AgentNeed[] {
  const running = new Map(known.tasks.filter(({ status }) => status === 'running').map((task) => [task.to_name, task]));
  return known.agents.flatMap((agent) => {
    const task = running.get(agent.alias);
    const reason = agentReason(agent, task, known);
    if (reason === undefined || known.dismissed.has(dismissedKey(reason.key, agent))) return [];
    const isAnswered = known.dismissed.has(answeredKey(reason.key, agent));
    const rank = isAnswered ? ANSWERED_RANK : RANKS[reason.kind];
    const acts = actsFor(known, task === undefined ? ['answer'] : ['answer', 'reassign', 'cancel']);
    return [{ ...reason, rank, agent, task, isAnswered, acts }];
  });
}

export function answeredKey(key: string, agent: Agent): string {
  return `${ANSWERED}${key} ${saidBy(agent)}`;
}

export function dismissedKey(key: string, agent: Agent): string {
  return `${DISMISSED}${key} ${saidBy(agent)}`;
}

/** New output may be another question, and so may the same status at another time. */
function saidBy({ status_since, last_output }: Agent): string {
  return `${status_since} ${last_output ?? ''}`;
}

const ANSWERED = 'answered ';
const DISMISSED = 'dismissed ';

export function isAnswerKey(key: string): boolean {
  return key.startsWith(ANSWERED);
}

function agentReason(
  agent: Agent,
  task: TaskRecord | undefined,
  { progress, now }: Known,
): Pick<AgentNeed, 'key' | 'kind' | 'since'> | undefined {
  if (isHalted(agent)) return { key: agentKey(agent), kind: agent.status, since: agent.status_since };
  const stuck = stuckSince(agent, progress.get(agent.alias) ?? task?.started_at ?? '', now);
  if (stuck === undefined) return undefined;
  const since = stampOf(stuck);
  // Progress changes the key, so a dismissed agent counts again when it is stuck again.
  return { key: `stuck ${agent.alias} ${since}`, kind: 'stuck', since };
}
