// Finds and sorts what needs a person: agents that need input, are blocked, report an error or are stuck, questions,
// tasks about to expire, failures, tasks that no agent fetches, and replies. A pure function of the loaded data.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { stuckSince } from '../agents/roster.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { momentOf, stampOf } from '../parts/format.ts';

/** What a person can do about a need, each with its key on the focused row. */
export const NEED_ACT_KEYS = { answer: 'a', retry: 'r', reassign: 's', cancel: 'c', dismiss: 'd' } as const;
export type NeedAct = keyof typeof NEED_ACT_KEYS;

/** `key` is stable while the need lasts; `since` is a timestamp. */
type Common = { key: string; rank: number; since: string; acts: readonly NeedAct[] };
export type AgentNeed = Common & {
  kind: HaltedAgent['status'] | 'stuck';
  agent: Agent;
  /** Its running task, if known. */
  task: TaskRecord | undefined;
  /** Since its last output. It stays in the list until the agent reports another status. */
  isAnswered: boolean;
};
/** One message, or all messages of a sender; oldest first. */
export type MailNeed = Common & {
  kind: 'mail';
  messages: readonly MessageRecord[];
  /** The one that the row shows: the oldest question, or else the newest reply. */
  shown: MessageRecord;
  /** The sender, if it waits for the answer. */
  asker: AgentNeed | undefined;
};
export type TaskNeed = Common & {
  kind: 'asked' | 'failed' | 'expired' | 'expiring' | 'unfetched';
  /** The newest of `tasks`. */
  task: TaskRecord;
  /** One task, or all failures of an agent; oldest first. */
  tasks: readonly TaskRecord[];
  /** The unread replies that report the failure. */
  messages: readonly MessageRecord[];
};
export type Need = AgentNeed | MailNeed | TaskNeed;
export type NeedKind = Need['kind'];

/** The agent that a row is about, or that waits for the answer to its message. */
export function agentNeedOf(need: Need): AgentNeed | undefined {
  return need.kind === 'mail' ? need.asker : 'agent' in need ? need : undefined;
}

export function isFailure(need: Need): need is TaskNeed {
  return isPast(need.kind);
}

function isPast(kind: NeedKind): boolean {
  return kind === 'failed' || kind === 'expired';
}

/** A need that combines several messages or failures. */
export function isGroup(need: Need): boolean {
  return itemKeys(need).length > 1;
}

/** Identifies what a need consists of. An answered agent needs nobody. */
export function itemKeys(need: Need): readonly string[] {
  if (need.kind === 'mail') return need.messages.map(mailKey);
  if (isFailure(need)) return need.tasks.map((task) => taskKey(need.kind, task));
  return 'agent' in need && need.isAnswered ? [] : [need.key];
}

/** Needs of the same rank are sorted by age. Needs that require an action precede those that only inform. */
const RANKS: Record<NeedKind, number> = {
  waiting_input: 0,
  blocked: 1,
  error: 1,
  stuck: 2,
  mail: 3,
  asked: 3,
  expiring: 4,
  failed: 5,
  expired: 5,
  unfetched: 6,
};
const REPLY_RANK = 7;
const ANSWERED_RANK = 8;
/** Failures of tasks that others sent come after those of the person. */
const OTHERS_RANK = 0.5;

/** Mail to `hub` is for everybody in the network. */
export const HUB_ALIAS = 'hub';
const UNFETCHED_MS = 120_000;
const MOST_LEFT_MS = 300_000;
const LEFT_SHARE = 0.1;
/** A tenth of a short ttl is too late to act. */
const LEAST_LEFT_MS = 60_000;
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
  /** The recent progress of each alias with its tasks, as a timestamp. */
  progress: ReadonlyMap<string, string>;
  tasks: readonly TaskRecord[];
  mail: readonly MessageRecord[];
  /** The keys of dismissed items and answered agents. */
  dismissed: ReadonlySet<string>;
  mayWrite: boolean;
};

export function findNeeds(known: Known): Need[] {
  const agents = agentNeeds(known);
  const mail = mailNeeds(known, agents);
  const askers = new Set(mail.map(({ asker }) => asker));
  return [...agents.filter((need) => !askers.has(need)), ...mail, ...taskNeeds(known)].sort(byUrgency);
}

function byUrgency(one: Need, other: Need): number {
  return one.rank - other.rank || compare(orderOf(one), orderOf(other)) || compare(one.key, other.key);
}

/** Of tasks about to expire, the soonest is first. */
function orderOf(need: Need): string {
  return need.kind === 'expiring' ? need.task.expires_at : need.since;
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

/** Whether this key of a dismissed agent belongs to a status that has ended. */
export function isOver(key: string, halted: readonly string[]): boolean {
  return key.startsWith('agent ') && !halted.includes(key);
}

function agentNeeds(known: Known): AgentNeed[] {
  const running = new Map(known.tasks.filter(({ status }) => status === 'running').map((task) => [task.to_name, task]));
  return known.agents.flatMap((agent) => {
    const task = running.get(agent.alias);
    const reason = agentReason(agent, task, known);
    if (reason === undefined || known.dismissed.has(reason.key)) return [];
    const isAnswered = known.dismissed.has(answeredKey(reason.key, agent));
    const rank = isAnswered ? ANSWERED_RANK : RANKS[reason.kind];
    const acts = actsFor(known, task === undefined ? ['answer'] : ['answer', 'reassign', 'cancel']);
    return [{ ...reason, rank, agent, task, isAnswered, acts }];
  });
}

/** Everybody may dismiss a need for themselves. */
function actsFor({ mayWrite }: Known, acts: readonly NeedAct[]): NeedAct[] {
  return mayWrite ? [...acts, 'dismiss'] : ['dismiss'];
}

/** New output may be another question, and so may the same status at another time. */
export function answeredKey(key: string, { status_since, last_output }: Agent): string {
  return `answered ${key} ${status_since} ${last_output ?? ''}`;
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

const MAIL_TYPES: readonly MessageRecord['type'][] = ['message', 'reply'];

/** A reply that reports a failure belongs to the failed task. */
function mailNeeds(known: Known, agents: readonly AgentNeed[]): MailNeed[] {
  const { me, inboxes, dismissed } = known;
  const reported = new Set(
    known.tasks.filter((task) => taskNeedKind(task, known) === 'failed').map(({ task_id }) => task_id),
  );
  const unread = known.mail
    .filter(({ type, acked_at }) => MAIL_TYPES.includes(type) && acked_at === null)
    .filter(({ alias, from_session }) => inboxes.includes(alias) && from_session !== me)
    .filter((message) => !isFailureReply(message) || !reported.has(message.in_reply_to ?? ''))
    .filter((message) => !dismissed.has(mailKey(message)))
    .toSorted((one, other) => compare(one.created_at, other.created_at) || compare(one.id, other.id));
  return [...Map.groupBy(unread, ({ from_session }) => from_session)].flatMap(([from, messages]) => {
    const asker = agents.find((need) => need.agent.alias === from);
    const question = messages.findLast((message) => asker !== undefined && isQuestionOf(asker, message));
    const groups = messages.length > MOST_SINGLE_MESSAGES ? [messages] : messages.map((message) => [message]);
    return groups.flatMap((group) =>
      mailNeed(known, group, question !== undefined && group.includes(question) ? asker : undefined),
    );
  });
}

/** An agent that waits for input has sent its question during its current task. */
function isQuestionOf({ kind, isAnswered, task }: AgentNeed, message: MessageRecord): boolean {
  const isWaiting = kind === 'waiting_input' && !isAnswered;
  return isWaiting && isQuestion(message) && message.created_at >= (task?.started_at ?? '');
}

export function isQuestion({ type }: MessageRecord): boolean {
  return type === 'message';
}

function mailKey({ id }: MessageRecord): string {
  return `mail ${id}`;
}

/** A row that includes an agent takes its place, urgency and actions. */
function mailNeed(known: Known, messages: readonly MessageRecord[], asker: AgentNeed | undefined): MailNeed[] {
  const question = messages.find(isQuestion);
  const [oldest, shown] = [messages[0], question ?? messages.at(-1)];
  if (oldest === undefined || shown === undefined) return [];
  const key = asker?.key ?? (messages.length > 1 ? `mail from ${oldest.from_session}` : mailKey(oldest));
  const rank = asker?.rank ?? (question === undefined ? REPLY_RANK : RANKS.mail);
  const acts = asker?.acts ?? actsFor(known, ['answer']);
  return [{ key, rank, kind: 'mail', since: (question ?? oldest).created_at, messages, shown, asker, acts }];
}

function isFailureReply({ type, status }: MessageRecord): boolean {
  return type === 'reply' && status === 'failed';
}

/** Several failures of an agent become one need. */
function taskNeeds(known: Known): TaskNeed[] {
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

function taskKey(kind: NeedKind, { task_id, attempt }: TaskRecord): string {
  return `${kind} ${task_id} ${attempt}`;
}

function taskActs(kind: TaskNeed['kind'], { status }: TaskRecord): NeedAct[] {
  if (isPast(kind)) return ['retry', 'reassign'];
  return kind === 'asked' || status === 'running' ? ['answer', 'reassign', 'cancel'] : ['reassign', 'cancel'];
}

/** What the task needs. Timestamps are compared as texts, because thousands of tasks are checked every second. */
export function taskNeedKind(task: TaskRecord, context: TaskContext): TaskNeed['kind'] | undefined {
  const { status, completed_at, to_name } = task;
  const { now, inboxes, seenAt } = context;
  if (status === 'failed' || status === 'expired') return (completed_at ?? '') > seenAt ? status : undefined;
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
