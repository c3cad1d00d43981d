// Finds and sorts what needs a person: agents that need input, mail, agents that are blocked, report an error or are
// stuck, failures, tasks about to expire, and tasks that no agent fetches. A pure function of the loaded data.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { stuckSince } from '../agents/roster.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';

/** What a person can do about a need, each with its key on the focused row. */
export const NEED_ACT_KEYS = { answer: 'a', retry: 'r', reassign: 's', cancel: 'c', dismiss: 'd' } as const;
export type NeedAct = keyof typeof NEED_ACT_KEYS;

/** `key` is stable while the need lasts; `since` is a timestamp. */
type Common = { key: string; since: string; acts: readonly NeedAct[] };
export type AgentNeed = Common & {
  kind: HaltedAgent['status'] | 'stuck';
  agent: Agent;
  /** Its running task, if known. */
  task: TaskRecord | undefined;
};
/** One message, or all messages of a sender; oldest first. */
export type MailNeed = Common & { kind: 'mail'; messages: readonly MessageRecord[] };
export type TaskNeed = Common & {
  kind: 'asked' | 'failed' | 'expired' | 'expiring' | 'unfetched';
  task: TaskRecord;
  /** The unread replies that report the failure. */
  messages: readonly MessageRecord[];
};
export type Need = AgentNeed | MailNeed | TaskNeed;
export type NeedKind = Need['kind'];

export function isFailure(need: Need): need is TaskNeed {
  return need.kind === 'failed' || need.kind === 'expired';
}

/** Needs of the same rank are sorted by age. */
const RANKS: Record<NeedKind, number> = {
  waiting_input: 0,
  mail: 1,
  asked: 1,
  blocked: 2,
  error: 2,
  stuck: 3,
  failed: 4,
  expired: 4,
  expiring: 5,
  unfetched: 6,
};

/** Mail to `hub` is for everybody in the network. */
export const HUB_ALIAS = 'hub';
const UNFETCHED_MS = 120_000;
const MOST_LEFT_MS = 300_000;
const LEFT_SHARE = 0.1;
/** More messages of one sender become one need. */
const MOST_SINGLE_MESSAGES = 3;

export type TaskContext = {
  now: number;
  /** The username, which is also the name under which the person sends. */
  me: string;
  /** The aliases whose mail the person reads: their own and `hub`, unless an agent reports under it. */
  inboxes: readonly string[];
  /** The person has seen the failures up to this timestamp. */
  seenAt: string;
};

export type Known = TaskContext & {
  agents: readonly Agent[];
  /** When the agent began to have its status, as far as known. */
  statusSince: (agent: Agent) => string;
  /** The recent progress of each alias with its tasks, as a timestamp. */
  progress: ReadonlyMap<string, string>;
  tasks: readonly TaskRecord[];
  mail: readonly MessageRecord[];
  /** The keys of dismissed needs. */
  dismissed: ReadonlySet<string>;
  mayWrite: boolean;
};

export function findNeeds(known: Known): Need[] {
  const tasks = known.tasks.flatMap((task) => taskNeed(task, known));
  const needs = [...agentNeeds(known), ...mailNeeds(known, failureReplies(tasks)), ...tasks];
  return needs.filter(({ key }) => !known.dismissed.has(key)).sort(byUrgency);
}

function byUrgency(one: Need, other: Need): number {
  return RANKS[one.kind] - RANKS[other.kind] || compare(one.since, other.since) || compare(one.key, other.key);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

type HaltedAgent = Agent & { status: 'waiting_input' | 'blocked' | 'error' };

export function isHalted(agent: Agent): agent is HaltedAgent {
  return agent.status === 'waiting_input' || agent.status === 'blocked' || agent.status === 'error';
}

export function agentKey({ status, alias }: Agent): string {
  return `agent ${status} ${alias}`;
}

export function isAgentKey(key: string): boolean {
  return key.startsWith('agent ');
}

function agentNeeds(known: Known): AgentNeed[] {
  const running = new Map(known.tasks.filter(({ status }) => status === 'running').map((task) => [task.to_name, task]));
  return known.agents.flatMap((agent) => {
    const task = running.get(agent.alias);
    const reason = agentReason(agent, task, known);
    if (reason === undefined) return [];
    const acts: NeedAct[] = task === undefined ? ['answer'] : ['answer', 'reassign', 'cancel'];
    return [{ ...reason, agent, task, acts: [...(known.mayWrite ? acts : []), 'dismiss' as const] }];
  });
}

function agentReason(
  agent: Agent,
  task: TaskRecord | undefined,
  { statusSince, progress, now }: Known,
): Pick<AgentNeed, 'key' | 'kind' | 'since'> | undefined {
  if (isHalted(agent)) return { key: agentKey(agent), kind: agent.status, since: statusSince(agent) };
  const stuck = stuckSince(agent, progress.get(agent.alias) ?? task?.started_at ?? '', now);
  if (stuck === undefined) return undefined;
  const since = stampOf(stuck);
  // Progress changes the key, so a dismissed agent counts again when it is stuck again.
  return { key: `stuck ${agent.alias} ${since}`, kind: 'stuck', since };
}

const MAIL_TYPES: readonly MessageRecord['type'][] = ['message', 'reply'];

/** A reply that reports a failure belongs to the failed task. */
function mailNeeds({ mail, me, inboxes, mayWrite }: Known, reported: ReadonlySet<string>): MailNeed[] {
  const acts: NeedAct[] = mayWrite ? ['answer', 'dismiss'] : [];
  const unread = mail
    .filter(({ type, acked_at }) => MAIL_TYPES.includes(type) && acked_at === null)
    .filter(({ alias, from_session }) => inboxes.includes(alias) && from_session !== me)
    .filter((message) => !isFailureReply(message) || !reported.has(message.in_reply_to ?? ''))
    .toSorted((one, other) => compare(one.created_at, other.created_at) || compare(one.id, other.id));
  return [...Map.groupBy(unread, ({ from_session }) => from_session)].flatMap(([from, messages]) =>
    messages.length > MOST_SINGLE_MESSAGES
      ? [mailNeed(`mail from ${from}`, messages, acts)]
      : messages.map((message) => mailNeed(`mail ${message.id}`, [message], acts)),
  );
}

function mailNeed(key: string, messages: readonly MessageRecord[], acts: readonly NeedAct[]): MailNeed {
  return { key, kind: 'mail', since: messages[0]?.created_at ?? '', messages, acts };
}

function isFailureReply({ type, status }: MessageRecord): boolean {
  return type === 'reply' && status === 'failed';
}

function failureReplies(tasks: readonly TaskNeed[]): ReadonlySet<string> {
  return new Set(tasks.filter(({ kind }) => kind === 'failed').map(({ task }) => task.task_id));
}

function taskNeed(task: TaskRecord, known: Known): TaskNeed[] {
  const kind = taskNeedKind(task, known);
  if (kind === undefined) return [];
  const isPast = kind === 'failed' || kind === 'expired';
  return [
    {
      key: `${kind} ${task.task_id} ${task.attempt}`,
      kind,
      since: (isPast ? task.completed_at : task.delivered_at) ?? '',
      task,
      messages: isPast
        ? known.mail.filter((message) => isFailureReply(message) && message.in_reply_to === task.task_id)
        : [],
      acts: taskActs(kind, task, known.mayWrite),
    },
  ];
}

function taskActs(kind: TaskNeed['kind'], { status }: TaskRecord, mayWrite: boolean): NeedAct[] {
  if (kind === 'failed' || kind === 'expired') return mayWrite ? ['retry', 'reassign', 'dismiss'] : ['dismiss'];
  if (!mayWrite) return [];
  return kind === 'asked' || status === 'running' ? ['answer', 'reassign', 'cancel'] : ['reassign', 'cancel'];
}

/** What the task needs. Timestamps are compared as texts, because thousands of tasks are checked every second. */
export function taskNeedKind(task: TaskRecord, context: TaskContext): TaskNeed['kind'] | undefined {
  const { status, completed_at, from_name, to_name } = task;
  const { now, me, inboxes, seenAt } = context;
  if (status === 'failed' || status === 'expired')
    return (from_name === me || from_name === HUB_ALIAS) && (completed_at ?? '') > seenAt ? status : undefined;
  if (!isLive(task)) return undefined;
  if (status === 'delivered' && inboxes.includes(to_name)) return 'asked';
  const { soon, longAgo } = bounds(now);
  if (task.expires_at <= soon && isExpiring(task, now)) return 'expiring';
  const isUnfetched = status === 'delivered' && task.fetched_at === undefined;
  return isUnfetched && task.delivered_at < longAgo ? 'unfetched' : undefined;
}

/** A running task past its ttl is not about to expire: it continues while its agent is online. */
function isExpiring({ expires_at, delivered_at }: TaskRecord, now: number): boolean {
  const expires = momentOf(expires_at);
  const left = expires - now;
  return left > 0 && left < Math.min(MOST_LEFT_MS, LEFT_SHARE * (expires - momentOf(delivered_at)));
}

let known = { now: Number.NaN, soon: '', longAgo: '' };

/** Formatted once for all tasks of a check. */
function bounds(now: number): typeof known {
  if (known.now !== now) known = { now, soon: stampOf(now + MOST_LEFT_MS), longAgo: stampOf(now - UNFETCHED_MS) };
  return known;
}
