// Finds the tasks that need a person: about to expire, failed, fetched by nobody, abandoned by their agent, or sent to
// the person.

import { STUCK_AFTER_MS } from '../../server/domain/limits.ts';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { isReported } from '../agents/roster.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import { writtenKey } from './agent-needs.ts';
import {
  actsFor,
  byUrgency,
  type Holder,
  HUB_ALIAS,
  isPast,
  type Known,
  type NeedAct,
  OTHERS_RANK,
  RANKS,
  type TaskContext,
  type TaskNeed,
  taskKey,
} from './need.ts';

const UNFETCHED_MS = 120_000;
/** An agent that has just been started reports within this time. */
const NEWCOMER_MS = 20_000;
/** An agent may report that it is idle just before it replies. */
const IDLE_MS = 60_000;
/** An agent with several tasks may return to the one before. */
const MOVED_ON_MS = 120_000;
const MOST_LEFT_MS = 300_000;
const LEFT_SHARE = 0.1;
/** A tenth of a short ttl is too late to act. */
const LEAST_LEFT_MS = 120_000;

/** Several tasks of an agent that failed, that it abandoned or that it has not fetched become one need. */
export function taskNeeds(known: Known): TaskNeed[] {
  const reports = Map.groupBy(known.mail.filter(isFailureReply), ({ in_reply_to = '' }) => in_reply_to);
  const found = known.tasks.flatMap((task) => taskNeed(task, known, reports));
  const groups = Map.groupBy(found, ({ key, kind, rank, task }) =>
    kind === 'asked' || kind === 'expiring' ? key : `${kind} ${rank} ${task.status} ${task.to_name}`,
  );
  return [...groups].flatMap(([key, needs]) => grouped(key, needs, known));
}

/** The row of a task that waits stays the same one when more tasks of its agent do. */
const GROWING: readonly TaskNeed['kind'][] = ['abandoned', 'unfetched'];

function grouped(key: string, needs: readonly TaskNeed[], known: Known): TaskNeed[] {
  const sorted = needs.toSorted(byUrgency);
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (oldest === undefined || newest === undefined) return sorted;
  const writtenAt = known.answeredAt[writtenKey(key)];
  if (oldest === newest) return GROWING.includes(oldest.kind) ? [{ ...oldest, key, writtenAt }] : sorted;
  const [tasks, messages] = [sorted.map(({ task }) => task), sorted.flatMap((need) => need.messages)];
  return [
    {
      ...newest,
      key,
      since: oldest.since,
      tasks,
      messages,
      writtenAt,
      acts: actsFor(known, newest.kind === 'abandoned' ? heldActs(newest.task, known) : GROUP_ACTS[newest.kind]),
    },
  ];
}

const GROUP_ACTS: Record<Exclude<TaskNeed['kind'], 'abandoned'>, readonly NeedAct[]> = {
  failed: ['retry', 'reassign'],
  expired: ['retry', 'reassign'],
  unfetched: ['reassign', 'cancel'],
  asked: [],
  expiring: [],
};

type Reports = ReadonlyMap<string, readonly MessageRecord[]>;

function taskNeed(task: TaskRecord, known: Known, reports: Reports): TaskNeed[] {
  const kind = taskNeedKind(task, known);
  if (kind === undefined) return [];
  const key = taskKey(kind, task);
  if (known.dismissed.has(key)) return [];
  const isOver = isPast(kind);
  const isOthers = isOver && task.from_name !== known.me && task.from_name !== HUB_ALIAS;
  return [
    {
      key,
      rank: RANKS[kind] + (isOthers ? OTHERS_RANK : 0),
      kind,
      since:
        (isOver ? task.completed_at : kind === 'abandoned' ? abandonedSince(task, known) : task.delivered_at) ?? '',
      task,
      tasks: [task],
      messages: (isOver && reports.get(task.task_id)) || [],
      writtenAt: known.answeredAt[writtenKey(key)],
      acts: actsFor(known, taskActs(kind, task, known)),
    },
  ];
}

function taskActs(kind: TaskNeed['kind'], task: TaskRecord, context: TaskContext): NeedAct[] {
  if (isPast(kind)) return ['retry', 'reassign'];
  if (kind === 'asked') return ['answer', 'reassign', 'cancel'];
  return kind === 'abandoned' || task.status === 'running' ? heldActs(task, context) : ['reassign', 'cancel'];
}

/** Nobody reads what is written to an agent that is offline. */
function heldActs({ to_name }: TaskRecord, { holders }: TaskContext): NeedAct[] {
  const isReachable = (holders.get(to_name)?.status ?? 'offline') !== 'offline';
  return isReachable ? ['answer', 'reassign', 'cancel'] : ['reassign', 'answer', 'cancel'];
}

/** What the task needs. Timestamps are compared as texts, because thousands of tasks are checked every second. */
export function taskNeedKind(task: TaskRecord, context: TaskContext): TaskNeed['kind'] | undefined {
  const { status, completed_at, to_name } = task;
  const { now, inboxes, holders, seenAt } = context;
  if (status === 'failed' || status === 'expired') return (completed_at ?? '') > seenAt ? status : undefined;
  if (!isLive(task)) return undefined;
  if (status === 'delivered' && inboxes.includes(to_name)) return 'asked';
  const { soon, newcomersBefore } = bounds(now);
  if (abandonedSince(task, context) !== undefined) return 'abandoned';
  // It continues beyond its ttl while its agent is online; an agent without progress is stuck.
  const isSafe = status === 'running' && (holders.get(to_name)?.status ?? 'offline') !== 'offline';
  if (!isSafe && task.expires_at <= soon && isExpiring(task, now)) return 'expiring';
  const isUnfetched = status === 'delivered' && task.fetched_at === undefined;
  const agent = holders.get(to_name);
  const since = agent === undefined && context.areAllAgentsKnown ? newcomersBefore : patienceWith(agent, now);
  return isUnfetched && task.delivered_at < since ? 'unfetched' : undefined;
}

/**
 * Before when an unfetched task must have been sent to need somebody. One whose agent starts others, waits for a
 * person, which is listed, or has just become idle is fetched later.
 */
function patienceWith(agent: Holder | undefined, now: number): string {
  const { longAgo, idleBefore, stuckBefore } = bounds(now);
  const { status = 'offline', status_since = '', lastStart = '' } = agent ?? {};
  if (status === 'offline' || (status === 'idle' && status_since <= idleBefore)) return longAgo;
  return status === 'working' && lastStart > stuckBefore ? '' : stuckBefore;
}

/**
 * When the agent of a task that it has fetched or started stopped working on it: it went offline, is idle without a
 * reply, or has started other tasks since and reports one of them. An agent can also run several at once, so that takes
 * two minutes, or as long as for a stuck one if it has started them together; those that it has fetched may be a queue.
 */
export function abandonedSince(task: TaskRecord, { holders, now }: TaskContext): string | undefined {
  const { status, to_name, started_at, fetched_at } = task;
  const agent = holders.get(to_name);
  const takenAt = status === 'running' ? started_at : fetched_at;
  if (agent === undefined || takenAt == null) return undefined;
  if (agent.status === 'offline') return later(agent.last_seen_at, takenAt);
  const { idleBefore, stuckBefore, movedOnBefore } = bounds(now);
  const isResting = agent.status === 'idle' && agent.status_since <= idleBefore && agent.lastStart <= idleBefore;
  if (isResting) return takenAt <= idleBefore ? later(agent.status_since, takenAt) : undefined;
  const isPassedOver = status === 'running' && agent.lastStart > takenAt && !isReported(task, agent.task);
  if (!isPassedOver) return undefined;
  if (takenAt <= stuckBefore) return takenAt;
  // It worked on it before it took another one, as after its restart; several that it started together are a queue.
  const hasMovedOn = agent.lastStart <= movedOnBefore && momentOf(agent.lastStart) - momentOf(takenAt) >= IDLE_MS;
  return hasMovedOn ? agent.lastStart : undefined;
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}

/** A task that is given to another agent keeps what is left of its ttl. That agent has a moment to start it. */
function isExpiring({ expires_at, delivered_at, attempt }: TaskRecord, now: number): boolean {
  const expires = momentOf(expires_at);
  const delivered = momentOf(delivered_at);
  const left = expires - now;
  const ttl = expires - delivered;
  const isGivenNow = attempt > 1 && delivered > now - NEWCOMER_MS;
  const least = attempt > 1 ? LEAST_LEFT_MS : Math.min(LEAST_LEFT_MS, ttl / 2);
  return left > 0 && !isGivenNow && left < Math.min(MOST_LEFT_MS, Math.max(LEFT_SHARE * ttl, least));
}

let known = {
  now: Number.NaN,
  soon: '',
  longAgo: '',
  newcomersBefore: '',
  idleBefore: '',
  stuckBefore: '',
  movedOnBefore: '',
};

/** Formatted once for all tasks of a check. */
function bounds(now: number): typeof known {
  if (known.now === now) return known;
  const before = (ms: number) => stampOf(now - ms);
  const [longAgo, idleBefore, stuckBefore] = [before(UNFETCHED_MS), before(IDLE_MS), before(STUCK_AFTER_MS)];
  const [movedOnBefore, newcomersBefore] = [before(MOVED_ON_MS), before(NEWCOMER_MS)];
  known = { now, soon: before(-MOST_LEFT_MS), longAgo, newcomersBefore, idleBefore, stuckBefore, movedOnBefore };
  return known;
}

export function holdersOf(agents: readonly Agent[], tasks: Iterable<TaskRecord>): Map<string, Holder> {
  const holders = new Map(agents.map((agent) => [agent.alias, { ...agent, lastStart: '' }]));
  for (const { to_name, started_at } of tasks) {
    const holder = holders.get(to_name);
    if (holder !== undefined && (started_at ?? '') > holder.lastStart) holder.lastStart = started_at ?? '';
  }
  return holders;
}

export function isFailureReply({ type, status }: MessageRecord): boolean {
  return type === 'reply' && status === 'failed';
}
