// What needs a person: the kinds with their actions, keys and order.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import type { Agent, MessageRecord } from '../live/api.ts';

/** What a person can do about a need, each with its key on the focused row. */
export const NEED_ACT_KEYS = { answer: 'a', retry: 'r', reassign: 's', cancel: 'c', dismiss: 'd' } as const;
export type NeedAct = keyof typeof NEED_ACT_KEYS;

/** `key` is stable while the need lasts; `since` is a timestamp. */
type Common = { key: string; rank: number; since: string; acts: readonly NeedAct[] };
/** What an agent reports when it needs somebody. */
export type HaltedStatus = 'waiting_input' | 'blocked' | 'error';
export type AgentNeed = Common & {
  kind: HaltedStatus | 'stuck';
  agent: Agent;
  /** Its running task, if known. */
  task: TaskRecord | undefined;
  /** The message with its question, if its last output asks nothing. The person may have answered or read it. */
  question?: MessageRecord | undefined;
  /** When it was last answered since its last output, in milliseconds. */
  answeredAt: number | undefined;
  /** Within the last minutes. It stays in the list until the agent reports another status. */
  isAnswered: boolean;
};
/** One message, or all messages of a sender; oldest first. */
export type MailNeed = Common & {
  kind: 'mail';
  messages: readonly MessageRecord[];
  /** The question that the agent waits for, or else the oldest question, or else the newest reply. */
  shown: MessageRecord;
  /** The sender, if it waits for the answer. */
  asker: AgentNeed | undefined;
  /** The running task of the sender, or the one during which it asked and that has ended since, if known. */
  task: TaskRecord | undefined;
};
/** All unread results of any agents; oldest first. */
export type ResultsNeed = Common & {
  kind: 'results';
  messages: readonly MessageRecord[];
  /** Whether there are more. */
  isCut: boolean;
};
export type TaskNeed = Common & {
  kind: 'asked' | 'failed' | 'expired' | 'expiring' | 'unfetched' | 'abandoned';
  /** The newest of `tasks`. */
  task: TaskRecord;
  /** One task, or all of an agent that failed, that it abandoned or that it has not fetched; oldest first. */
  tasks: readonly TaskRecord[];
  /** The unread replies that report the failure. */
  messages: readonly MessageRecord[];
  /** When the person last wrote to its agent from this row, in milliseconds. */
  writtenAt: number | undefined;
};
export type Need = AgentNeed | MailNeed | ResultsNeed | TaskNeed;
export type NeedKind = Need['kind'];

/** The agent that a row is about, or that waits for the answer to its message. */
export function agentNeedOf(need: Need): AgentNeed | undefined {
  return need.kind === 'mail' ? need.asker : 'agent' in need ? need : undefined;
}

export function isFailure(need: Need): need is TaskNeed {
  return isPast(need.kind);
}

export function isPast(kind: NeedKind | TaskStatus): boolean {
  return kind === 'failed' || kind === 'expired';
}

/** A need that combines several messages or failures. */
export function isGroup(need: Need): boolean {
  return itemKeys(need).length > 1;
}

/** Identifies what a need consists of. An answered agent and results need nobody. */
export function itemKeys(need: Need): readonly string[] {
  if (need.kind === 'mail') return need.messages.map(mailKey);
  if (need.kind === 'results') return [];
  if ('tasks' in need) return need.tasks.map((task) => taskKey(need.kind, task));
  return 'agent' in need && need.isAnswered ? [] : [need.key];
}

export function mailKey({ id }: MessageRecord): string {
  return `mail ${id}`;
}

export function taskKey(kind: NeedKind, { task_id, attempt }: TaskRecord): string {
  return `${kind} ${task_id} ${attempt}`;
}

/** Needs of the same rank are sorted by age. Needs that require an action precede those that only inform. */
export const RANKS: Record<NeedKind, number> = {
  waiting_input: 0,
  blocked: 1,
  error: 1,
  stuck: 2,
  abandoned: 2,
  mail: 3,
  asked: 3,
  expiring: 4,
  failed: 5,
  expired: 5,
  unfetched: 6,
  results: 9,
};
export const REPLY_RANK = 7;
export const ANSWERED_RANK = 8;
/** Failures of tasks that others sent come after those of the person. */
export const OTHERS_RANK = 0.5;

/** Mail to `hub` is for everybody in the network. */
export const HUB_ALIAS = 'hub';

/** What an agent does, as far as it concerns its tasks. `lastStart` is when it last started one, as a timestamp. */
export type Holder = Pick<Agent, 'status' | 'status_since' | 'last_seen_at' | 'task'> & { lastStart: string };

export type TaskContext = {
  now: number;
  /** The username, which is also the name under which the person sends. */
  me: string;
  /** The aliases whose mail the person reads: their own and `hub`, unless an agent reports under it. */
  inboxes: readonly string[];
  holders: ReadonlyMap<string, Holder>;
  areAllAgentsKnown: boolean;
  /** The person has seen the failures up to this timestamp. */
  seenAt: string;
};

export type Known = TaskContext & {
  agents: readonly Agent[];
  /** The recent progress of each alias with its tasks, as a timestamp. */
  progress: ReadonlyMap<string, string>;
  tasks: readonly TaskRecord[];
  mail: readonly MessageRecord[];
  /** The last message of each alias that asks something, read or not. */
  questions: ReadonlyMap<string, MessageRecord>;
  /** Whether there are more results than `mail` has. */
  isMailCut: boolean;
  /** The keys of dismissed items and answered agents. */
  dismissed: ReadonlySet<string>;
  /** When the agents among them were answered, in milliseconds. */
  answeredAt: Readonly<Record<string, number>>;
  mayWrite: boolean;
};

export function byUrgency(one: Need, other: Need): number {
  return one.rank - other.rank || compare(orderOf(one), orderOf(other)) || compare(one.key, other.key);
}

/** Of tasks about to expire, the soonest is first. */
function orderOf(need: Need): string {
  return need.kind === 'expiring' ? need.task.expires_at : need.since;
}

export function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Everybody may dismiss a need for themselves. */
export function actsFor({ mayWrite }: Known, acts: readonly NeedAct[]): NeedAct[] {
  return mayWrite ? [...acts, 'dismiss'] : ['dismiss'];
}
