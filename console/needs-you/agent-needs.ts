// Finds the agents that need input, are blocked, report an error, are stuck or were lost.
import type { TaskRecord } from '../../server/domain/task.ts';
import { currentTask, isReported, stuckSince } from '../agents/roster.ts';
import type { Agent } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import { type AgentNeed, ANSWERED_RANK, actsFor, type HaltedStatus, type Known, type NeedAct, RANKS } from './need.ts';

const DAY_MS = 86_400_000;
/** An agent that needs the same for this long after an answer has not read it, or was not helped by it. */
const ANSWERED_MS = 2 * 60_000;
/** An agent that has gone silent is likely to be closed after this time. */
const SILENT_MS = 7 * DAY_MS;

/** An agent that waits for a person often reports nothing, so it goes offline; what it needs does not change. */
export function haltedStatus({ status, last_status, last_seen_at }: Agent, now: number): HaltedStatus | undefined {
  const reported = status === 'offline' ? last_status : status;
  const isHalted = reported === 'waiting_input' || reported === 'blocked' || reported === 'error';
  return isHalted && (status !== 'offline' || momentOf(last_seen_at) > now - SILENT_MS) ? reported : undefined;
}

export function agentKey(status: HaltedStatus, { alias }: Agent): string {
  return `agent ${status} ${alias}`;
}

/** Whether this key of a dismissed agent belongs to a status that has ended. */
export function isOver(key: string, halted: readonly string[]): boolean {
  return key.startsWith(`${DISMISSED}agent `) && !halted.includes(key);
}

export function agentNeeds(known: Known): AgentNeed[] {
  const running = Map.groupBy(
    known.tasks.filter(({ status }) => status === 'running'),
    ({ to_name }) => to_name,
  );
  return known.agents.flatMap((agent) => {
    const task = currentTask(agent, running.get(agent.alias) ?? []);
    const reason = agentReason(agent, task, known);
    if (reason === undefined || known.dismissed.has(dismissedKey(reason.key, agent))) return [];
    const mark = answeredKey(reason.key, agent);
    const answeredAt = known.dismissed.has(mark) ? (known.answeredAt[mark] ?? known.now) : undefined;
    const isAnswered = answeredAt !== undefined && known.now - answeredAt < ANSWERED_MS;
    const since =
      !isAnswered && hasAskedAgain(known.dismissed, reason.key, agent) ? agent.last_progress_at : reason.since;
    const rank = isAnswered ? ANSWERED_RANK : RANKS[reason.kind];
    const isGone = reason.kind === 'stuck' && agent.status === 'offline';
    const first: readonly NeedAct[] = isGone ? ['reassign', 'answer'] : ['answer', 'reassign'];
    const acts = actsFor(known, task === undefined ? ['answer'] : [...first, 'cancel']);
    return [{ ...reason, since, rank, agent, task, answeredAt, isAnswered, acts }];
  });
}

export function answeredKey(key: string, agent: Agent): string {
  return `${ANSWERED}${key} ${saidBy(agent)}`;
}

/** A message about a task whose agent asks nothing. */
export function writtenKey(key: string): string {
  return `${ANSWERED}${key}`;
}

export function dismissedKey(key: string, agent: Agent): string {
  return `${DISMISSED}${key} ${saidBy(agent)}`;
}

/**
 * New output may be another question, and so may the same one after the agent has worked on. Going offline and coming
 * back with the same report is neither.
 */
function saidBy({ last_progress_at, last_output }: Agent): string {
  return `${last_progress_at} ${last_output ?? ''}`;
}

/** Whether it was answered during this wait and has said something else since. */
function hasAskedAgain(marks: ReadonlySet<string>, key: string, { status_since }: Agent): boolean {
  const start = `${ANSWERED}${key} `;
  return [...marks].some((mark) => mark.startsWith(start) && mark.slice(start.length) >= status_since);
}

const ANSWERED = 'answered ';
const DISMISSED = 'dismissed ';

export function isAnswerKey(key: string): boolean {
  return key.startsWith(ANSWERED);
}

function agentReason(
  agent: Agent,
  task: TaskRecord | undefined,
  known: Known,
): Pick<AgentNeed, 'key' | 'kind' | 'since'> | undefined {
  const { progress, now } = known;
  const halted = haltedStatus(agent, now);
  if (halted !== undefined)
    return {
      key: agentKey(halted, agent),
      kind: halted,
      since: agent.status === 'offline' ? agent.last_progress_at : agent.status_since,
    };
  const stuck = stuckSince(agent, progress.get(agent.alias) ?? task?.started_at ?? '', now) ?? lostAt(agent, known);
  if (stuck === undefined) return undefined;
  const since = stampOf(stuck);
  // Progress changes the key, so a dismissed agent counts again when it is stuck again.
  return { key: `stuck ${agent.alias} ${since}`, kind: 'stuck', since };
}

/**
 * When an agent went silent while it worked. A task that it has started is listed itself, or was handled if it ended or
 * was given to another agent since. An agent that reported that it is offline is not lost.
 */
function lostAt(
  { alias, status, last_status, last_seen_at, status_since, task: reported }: Agent,
  { tasks, now }: Known,
): number | undefined {
  const seen = momentOf(last_seen_at);
  const isLost = status === 'offline' && last_status === 'working' && status_since > last_seen_at;
  if (!isLost || seen < now - DAY_MS) return undefined;
  const hasStarted = ({ to_name, started_at, completed_at }: TaskRecord) =>
    to_name === alias && started_at !== null && (completed_at ?? last_seen_at) >= last_seen_at;
  return tasks.some((task) => hasStarted(task) || isReported(task, reported)) ? undefined : seen;
}
