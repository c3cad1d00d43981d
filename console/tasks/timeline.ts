// The timeline of a task: every transition with its actor, and the steps of the current attempt, in the order they
// happened.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, type TaskStatus } from '../../server/domain/task-status.ts';
import type { MessageRecord, TaskEventRecord, TaskMoments } from '../live/api.ts';
import { momentOf } from '../parts/format.ts';

const STEPS = ['notified_at', 'fetched_at', 'acked_at'] as const satisfies readonly (keyof TaskRecord)[];
export type StepName = (typeof STEPS)[number];
export type MomentName = StepName | TaskStatus;
type Ending = Exclude<TaskStatus, 'delivered' | 'running'>;
const NEXT = ['fetched_at', 'running'] as const satisfies readonly MomentName[];
export type NextName = (typeof NEXT)[number] | 'completed_at';

export type Moment = {
  key: string;
  name: MomentName;
  at: number;
  /** Since the previous moment of the attempt. */
  sincePreviousMs: number | undefined;
  actor?: string;
  detail?: string | null;
};

export type TalkName = 'asked' | 'answered' | 'said';
/** A message about the task. */
export type Talk = { key: string; name: TalkName; at: number; message: MessageRecord };

export type Attempt = {
  number: number;
  moments: readonly Moment[];
  /** How it ended: `delivered` if it was reassigned, undefined while it is live. */
  outcome: TaskStatus | undefined;
  durationMs: number | undefined;
  /** What is still to happen. */
  next: readonly NextName[];
};

type Known = { task: TaskRecord; events: readonly TaskEventRecord[]; moments: TaskMoments | null };
type Unordered = Omit<Moment, 'sincePreviousMs'>;

/** The attempts, first to last. The hub keeps a bounded number of events, so the first ones may be missing. */
export function attemptsOf({ task, events, moments }: Known): Attempt[] {
  const transitions = events.length > 0 ? inAttempts(events) : [eventsOf(task)];
  const first = Math.max(1, task.attempt - transitions.length + 1);
  return transitions.map((own, index) => {
    const isCurrent = index === transitions.length - 1;
    const following = transitions[index + 1]?.[0];
    const steps = isCurrent ? stepsOf(task, moments, own[0]?.at ?? 0) : [];
    return attemptOf(first + index, inOrder([...own, ...steps]), following, isCurrent && isLive(task));
  });
}

/** Every transition back into an inbox starts another attempt. */
function inAttempts(events: readonly TaskEventRecord[]): Unordered[][] {
  const attempts: Unordered[][] = [];
  for (const { id, to_status, created_at_ms, actor, detail } of events) {
    if (to_status === 'delivered' || attempts.length === 0) attempts.push([]);
    attempts.at(-1)?.push({ key: id, name: to_status, at: created_at_ms, actor, detail });
  }
  return attempts;
}

/** The transitions that the record itself shows, until the events are loaded. */
function eventsOf({ delivered_at, started_at, completed_at, status }: TaskRecord): Unordered[] {
  const known = [
    ['delivered', delivered_at],
    ['running', started_at],
    [status, completed_at],
  ] as const;
  return known.flatMap(([name, at]) => (at === null ? [] : [{ key: name, name, at: momentOf(at) }]));
}

/** An event on the stream is newer than the moments, and has seconds only. */
function stepsOf(task: TaskRecord, moments: TaskMoments | null, deliveredAt: number): Unordered[] {
  return STEPS.flatMap((name) => {
    const second = momentOf(task[name] ?? '');
    const exact = moments?.[name] ?? Number.NaN;
    if (Number.isNaN(second)) return [];
    const isSame = exact >= second && exact < second + 1_000;
    return [{ key: name, name, at: isSame ? exact : Math.max(second, deliveredAt) }];
  });
}

const ORDER: readonly MomentName[] = ['delivered', ...STEPS, 'running'];

/** What happened in the same millisecond is in the order of a task's course; its end comes last. */
function inOrder(moments: readonly Unordered[]): Moment[] {
  const rankOf = ({ name }: Unordered) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  const sorted = moments.toSorted((one, other) => one.at - other.at || rankOf(one) - rankOf(other));
  return sorted.map((moment, index) => {
    const previous = sorted[index - 1];
    return { ...moment, sincePreviousMs: previous && moment.at - previous.at };
  });
}

function attemptOf(number: number, moments: Moment[], following: Unordered | undefined, isLiveNow: boolean): Attempt {
  const names = moments.map(({ name }) => name);
  const ending = names.find(isEnding);
  const start = moments[0]?.at ?? 0;
  const endedAt = moments.find(({ name }) => isEnding(name))?.at ?? following?.at;
  const last = Math.max(...names.map((name) => ORDER.indexOf(name)));
  return {
    number,
    moments,
    outcome: ending ?? (following && 'delivered'),
    durationMs: endedAt === undefined ? undefined : endedAt - start,
    next: isLiveNow ? [...NEXT.filter((name) => ORDER.indexOf(name) > last), 'completed_at'] : [],
  };
}

function isEnding(name: MomentName): name is Ending {
  return !ORDER.includes(name);
}

/** The text that ended an earlier attempt. A retry clears the result of the task, but its messages remain. */
export function formerResult({ number, outcome }: Attempt, messages: readonly MessageRecord[]): string | undefined {
  const own = messages.filter(({ attempt }) => attempt === number);
  const reply = own.find(({ type }) => type === 'reply');
  const reason = outcome === 'cancelled' ? own.find(({ type }) => type === 'cancel') : undefined;
  return (reply ?? reason)?.content;
}

/** The moments of an attempt with its messages. Those have seconds only, so they follow the rest of their second. */
export function withTalk(attempts: readonly Attempt[], index: number, talk: readonly Talk[]): (Moment | Talk)[] {
  const startOf = (of: Attempt | undefined) => of?.moments[0]?.at ?? Infinity;
  const { moments } = attempts[index] ?? { moments: [] };
  const [from, until] = [index === 0 ? 0 : startOf(attempts[index]), startOf(attempts[index + 1])];
  const own = talk.filter(({ at }) => at + SECOND > from && at + SECOND <= until);
  const endAt = moments.findLast(({ name }) => isEnding(name))?.at ?? Infinity;
  const placed = own.map((each) => ({
    each,
    at: each.at <= endAt ? Math.min(each.at + SECOND, endAt - 0.5) : each.at,
  }));
  const all = [...moments.map((each) => ({ each, at: each.at })), ...placed];
  return all.toSorted((one, other) => one.at - other.at).map(({ each }) => each);
}

const SECOND = 999;

/** What the agent says is a question; what it is told after one is the answer. */
export function talkOf(agent: string, messages: readonly MessageRecord[]): Talk[] {
  let isAsked = false;
  return messages.map((message) => {
    const isQuestion = message.from_session === agent;
    const name = isQuestion ? 'asked' : isAsked ? 'answered' : 'said';
    isAsked ||= isQuestion;
    return { key: message.id, name, at: momentOf(message.created_at), message };
  });
}
