// Finds the tasks that need a person: about to expire, failed, fetched by nobody, or sent to the person.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';
import {
  actsFor,
  byUrgency,
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
const MOST_LEFT_MS = 300_000;
const LEFT_SHARE = 0.1;
/** A tenth of a short ttl is too late to act. */
const LEAST_LEFT_MS = 120_000;

/** Several failures of an agent become one need. */
export function taskNeeds(known: Known): TaskNeed[] {
  const reports = Map.groupBy(known.mail.filter(isFailureReply), ({ in_reply_to = '' }) => in_reply_to);
  const found = known.tasks.flatMap((task) => taskNeed(task, known, reports));
  const groups = Map.groupBy(found, ({ key, kind, rank, task }) =>
    isPast(kind) ? `${kind} ${rank} ${task.to_name}` : key,
  );
  return [...groups].flatMap(([key, needs]) => grouped(key, needs, known));
}

function grouped(key: string, needs: readonly TaskNeed[], known: Known): TaskNeed[] {
  const sorted = needs.toSorted(byUrgency);
  const [oldest, newest] = [sorted[0], sorted.at(-1)];
  if (oldest === undefined || newest === undefined || oldest === newest) return sorted;
  const [tasks, messages] = [sorted.map(({ task }) => task), sorted.flatMap((need) => need.messages)];
  return [{ ...newest, key, since: oldest.since, tasks, messages, acts: actsFor(known, ['retry', 'reassign']) }];
}

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
      since: (isOver ? task.completed_at : task.delivered_at) ?? '',
      task,
      tasks: [task],
      messages: (isOver && reports.get(task.task_id)) || [],
      acts: actsFor(known, taskActs(kind, task)),
    },
  ];
}

function taskActs(kind: TaskNeed['kind'], { status }: TaskRecord): NeedAct[] {
  if (isPast(kind)) return ['retry', 'reassign'];
  return kind === 'asked' || status === 'running' ? ['answer', 'reassign', 'cancel'] : ['reassign', 'cancel'];
}

/** What the task needs. Timestamps are compared as texts, because thousands of tasks are checked every second. */
export function taskNeedKind(task: TaskRecord, context: TaskContext): TaskNeed['kind'] | undefined {
  const { status, completed_at, to_name } = task;
  const { now, inboxes, online, seenAt } = context;
  if (status === 'failed' || status === 'expired') return (completed_at ?? '') > seenAt ? status : undefined;
  if (!isLive(task)) return undefined;
  if (status === 'delivered' && inboxes.includes(to_name)) return 'asked';
  const { soon, longAgo } = bounds(now);
  // It continues beyond its ttl while its agent is online.
  const isSafe = status === 'running' && online.has(to_name);
  if (task.expires_at <= soon && !isSafe && isExpiring(task, now)) return 'expiring';
  const isUnfetched = status === 'delivered' && task.fetched_at === undefined;
  return isUnfetched && task.delivered_at < longAgo ? 'unfetched' : undefined;
}

function isExpiring({ expires_at, delivered_at }: TaskRecord, now: number): boolean {
  const expires = momentOf(expires_at);
  const left = expires - now;
  const ttl = expires - momentOf(delivered_at);
  const least = Math.min(LEAST_LEFT_MS, ttl / 2);
  return left > 0 && left < Math.min(MOST_LEFT_MS, Math.max(LEFT_SHARE * ttl, least));
}

let known = { now: Number.NaN, soon: '', longAgo: '' };

/** Formatted once for all tasks of a check. */
function bounds(now: number): typeof known {
  if (known.now !== now) known = { now, soon: stampOf(now + MOST_LEFT_MS), longAgo: stampOf(now - UNFETCHED_MS) };
  return known;
}

export function onlineOf(agents: readonly Agent[]): Set<string> {
  return new Set(agents.filter(({ status }) => status !== 'offline').map(({ alias }) => alias));
}

export function isFailureReply({ type, status }: MessageRecord): boolean {
  return type === 'reply' && status === 'failed';
}
