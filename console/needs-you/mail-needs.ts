// Finds the unread mail that needs a person: questions, and replies, which only inform. Results are one row together.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { momentOf } from '../parts/format.ts';
import { agentKey, dismissedKey, haltedStatus } from './agent-needs.ts';
import {
  type AgentNeed,
  actsFor,
  compare,
  isPast,
  type Known,
  type MailNeed,
  mailKey,
  RANKS,
  REPLY_RANK,
  type ResultsNeed,
} from './need.ts';
import { isFailureReply, taskNeedKind } from './task-needs.ts';

/** More messages of one sender become one need. */
const MOST_SINGLE_MESSAGES = 3;

/** An agent sends its question and reports that it waits within this time. */
const ASKED_WITHIN_MS = 60_000;

export function hasQuestionMark(text: string): boolean {
  return /[?？؟]/.test(text);
}

const MAIL_TYPES: readonly MessageRecord['type'][] = ['message', 'reply'];

/** A reply that reports a failure belongs to its task, which shows it, or has another state by now. */
export function mailNeeds(known: Known, agents: readonly AgentNeed[]): (MailNeed | ResultsNeed)[] {
  const { me, inboxes, dismissed } = known;
  const reported = new Set(
    known.tasks.filter((task) => !isPast(task.status) || taskNeedKind(task, known) === 'failed').map(idOf),
  );
  const unread = known.mail
    .filter(({ type, acked_at }) => MAIL_TYPES.includes(type) && acked_at === null)
    .filter(({ alias, from_session }) => inboxes.includes(alias) && from_session !== me)
    .filter((message) => !isFailureReply(message) || !reported.has(message.in_reply_to ?? ''))
    .filter((message) => !dismissed.has(mailKey(message)) && !isDismissedQuestion(known, message))
    .toSorted((one, other) => compare(one.created_at, other.created_at) || compare(one.id, other.id));
  const others = unread.filter((message) => !isResult(message));
  const needs = [...Map.groupBy(others, ({ from_session }) => from_session)].flatMap(([from, messages]) => {
    const asker = agents.find((need) => need.agent.alias === from);
    const question = questionIn(messages, asker);
    const groups = messages.length > MOST_SINGLE_MESSAGES ? [messages] : messages.map((message) => [message]);
    return groups.flatMap((group) => {
      const isAsked = question !== undefined && group.includes(question);
      return isAsked ? mailNeed(known, group, question, asker) : mailNeed(known, group, group.find(isQuestion));
    });
  });
  return [...needs, ...resultsNeed(known, unread.filter(isResult))];
}

/** An agent that waits has sent its question during its current task. */
function isQuestionOf({ kind, isAnswered, task, agent }: AgentNeed, message: MessageRecord): boolean {
  const isWaiting = (kind === 'waiting_input' || kind === 'blocked') && !isAnswered;
  return isWaiting && message.created_at >= (task?.started_at ?? '') && isAskedIn(agent, message);
}

/** The question for which an agent still waits, also after it was read or answered with another one. */
export function openQuestion({ questions }: Known, { kind, agent }: AgentNeed): MessageRecord | undefined {
  const message = questions.get(agent.alias);
  const isWaiting = kind === 'waiting_input' || kind === 'blocked';
  return message !== undefined && isWaiting && isAskedThen(agent, message) ? message : undefined;
}

/** The message with what a dismissed agent asks may arrive after it was dismissed. */
function isDismissedQuestion({ agents, dismissed, now }: Known, message: MessageRecord): boolean {
  const agent = agents.find(({ alias }) => alias === message.from_session);
  const status = agent && haltedStatus(agent, now);
  if (agent === undefined || status === undefined || (agent.last_output ?? '') === '') return false;
  return dismissed.has(dismissedKey(agentKey(status, agent), agent)) && repeatsOutput(agent, message);
}

/**
 * Whether the message may be the question of an agent that waits: it repeats its last output, or the agent asked it
 * when it began to wait, and its output asks nothing.
 */
export function isAskedIn(agent: Agent, message: MessageRecord): boolean {
  return repeatsOutput(agent, message) || (isQuestion(message) && isAskedThen(agent, message));
}

function isAskedThen({ last_output, last_progress_at, status_since }: Agent, message: MessageRecord): boolean {
  if (!hasQuestionMark(message.content) || hasQuestionMark(last_output ?? '')) return false;
  const sentAt = momentOf(message.created_at);
  return [last_progress_at, status_since].some((began) => Math.abs(momentOf(began) - sentAt) <= ASKED_WITHIN_MS);
}

/** Also if there is no output, or one of them is cut off. */
export function repeatsOutput({ last_output }: Agent, { type, content }: MessageRecord): boolean {
  const [output, text] = [plain(last_output ?? ''), plain(content)];
  return type === 'message' && (output.trim() === '' || text.includes(output) || output.includes(text));
}

/** Its words, each between spaces, without one that was cut off. */
function plain(text: string): string {
  const whole = text.endsWith('…') ? text.replace(/\S*…$/, '') : text;
  return ` ${whole.toLowerCase()} `.replace(/[^\p{L}\p{N}]+/gu, ' ');
}

/** The one that it sent when it began to wait. */
function questionIn(messages: readonly MessageRecord[], asker: AgentNeed | undefined): MessageRecord | undefined {
  if (asker === undefined) return undefined;
  const distance = ({ created_at }: MessageRecord) =>
    Math.abs(momentOf(created_at) - momentOf(asker.agent.last_progress_at));
  const [nearest] = messages
    .filter((message) => isQuestionOf(asker, message))
    .toSorted((one, other) => distance(one) - distance(other));
  return nearest;
}

/** A reply that ends with a question is none: somebody must decide. */
export function isResult({ type, status, content }: MessageRecord): boolean {
  return type === 'reply' && status !== 'failed' && !/[?？؟][\s*_`"')\]]*$/.test(content);
}

function resultsNeed(known: Known, messages: readonly MessageRecord[]): ResultsNeed[] {
  const since = messages.at(-1)?.created_at;
  if (since === undefined) return [];
  const { isMailCut: isCut } = known;
  return [{ key: 'results', rank: RANKS.results, kind: 'results', since, messages, isCut, acts: actsFor(known, []) }];
}

export function isQuestion({ type }: MessageRecord): boolean {
  return type === 'message';
}

/** A row that includes an agent takes its place, urgency and actions. */
function mailNeed(
  known: Known,
  messages: readonly MessageRecord[],
  question: MessageRecord | undefined,
  asker?: AgentNeed,
): MailNeed[] {
  const [oldest, shown] = [messages[0], question ?? messages.at(-1)];
  if (oldest === undefined || shown === undefined) return [];
  const key = mailKey(question ?? oldest);
  const named = isAboutTask(shown) ? known.tasks.find(({ task_id }) => task_id === shown.in_reply_to) : undefined;
  const ended = question && asker === undefined ? endedTask(known, question, named) : undefined;
  const task = isAboutTask(shown) ? named : (ended ?? asker?.task ?? runningSince(known, shown));
  const rank = asker?.rank ?? (question === undefined || ended !== undefined ? REPLY_RANK : RANKS.mail);
  const acts = asker?.acts ?? actsFor(known, ['answer']);
  return [{ key, rank, kind: 'mail', since: (question ?? oldest).created_at, messages, shown, asker, task, acts }];
}

/** Such a message is about this task and no other, whether it is known or not. */
export function isAboutTask({ type, in_reply_to }: MessageRecord): boolean {
  return type === 'message' && in_reply_to?.startsWith('task_') === true;
}

function endedTask(known: Known, question: MessageRecord, named: TaskRecord | undefined): TaskRecord | undefined {
  if (!isAboutTask(question)) return endedSince(known, question);
  return named === undefined || isLive(named) ? undefined : named;
}

/** The task during which the sender asked, if it has ended since: nobody waits for the answer any more. */
function endedSince({ tasks }: Known, { from_session, created_at }: MessageRecord): TaskRecord | undefined {
  return tasks.find(
    ({ to_name, started_at, completed_at }) =>
      to_name === from_session && (started_at ?? '~') <= created_at && (completed_at ?? '') >= created_at,
  );
}

/** The running task of the sender that it started last before the message. */
function runningSince({ tasks }: Known, { from_session, created_at }: MessageRecord): TaskRecord | undefined {
  return tasks
    .filter(({ status, to_name }) => status === 'running' && to_name === from_session)
    .filter(({ started_at }) => (started_at ?? '') <= created_at)
    .toSorted((one, other) => compare(one.started_at ?? '', other.started_at ?? ''))
    .at(-1);
}

function idOf({ task_id }: TaskRecord): string {
  return task_id;
}
