// The title, link, icon and reason of a need, in the language of the page.
import type { SessionStatus } from '../../server/domain/session.ts';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, type TaskStatus } from '../../server/domain/task-status.ts';
import { workOf } from '../agents/roster.ts';
import { language, words } from '../i18n/language.ts';
import type { Agent, MessageRecord } from '../live/api.ts';
import { withQuery } from '../live/request.ts';
import { agentsBeyond, agentsByAlias } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { age, duration, excerpt, headline, momentOf, withoutHeadings } from '../parts/format.ts';
import type { IconName } from '../parts/icon.tsx';
import { agentPath, agentsPath, PATHS, taskPath, tasksPath } from '../routes.ts';
import { adviceFor } from '../tasks/advice.ts';
import { presenceSentence } from '../tasks/why.ts';
import { hasQuestionMark } from './mail-needs.ts';
import {
  type AgentNeed,
  agentNeedOf,
  HUB_ALIAS,
  isGroup,
  isPast,
  type MailNeed,
  type Need,
  type NeedKind,
  type TaskNeed,
} from './need.ts';

/** `tone` is the status that gives the icon its color. */
export const SIGNS: Record<NeedKind, { icon: IconName; tone: SessionStatus | TaskStatus | undefined }> = {
  waiting_input: { icon: 'help', tone: 'waiting_input' },
  mail: { icon: 'message', tone: undefined },
  asked: { icon: 'tasks', tone: undefined },
  blocked: { icon: 'cancelled', tone: 'blocked' },
  error: { icon: 'warning', tone: 'error' },
  stuck: { icon: 'clock', tone: 'expired' },
  abandoned: { icon: 'clock', tone: 'expired' },
  failed: { icon: 'failed', tone: 'failed' },
  expired: { icon: 'expired', tone: 'expired' },
  expiring: { icon: 'clock', tone: 'expired' },
  unfetched: { icon: 'inbox', tone: 'delivered' },
  results: { icon: 'check', tone: undefined },
};

/** The agent, sender or task that the need is about. */
export function needTitle(need: Need): string {
  if ('agent' in need) return need.agent.alias;
  if (need.kind === 'results') return words.value.needsYou.results(need.messages.length, need.isCut);
  if (need.kind === 'mail') return need.messages[0]?.from_session ?? '';
  return isGroup(need) ? need.task.to_name : headline(need.task.content);
}

/** What an agent works on, unless its reason says so, the task that a message is about, or the tasks of a group. */
export function needSubject(need: Need): string {
  if ('tasks' in need && isGroup(need) && !isPast(need.kind))
    return need.tasks.map(({ content }) => headline(content)).join(' · ');
  const found = agentNeedOf(need);
  if (found === undefined && need.kind === 'mail') {
    const { type, in_reply_to = '' } = need.shown;
    return headline((taskKnown(in_reply_to) ?? (type === 'message' ? need.task : undefined))?.content ?? '');
  }
  if (found === undefined || ('agent' in need && saysWork(need))) return '';
  return workOf({ ...found.agent, status: found.kind === 'stuck' ? 'working' : found.kind }, found.task);
}

export function needPath(need: Need): string {
  if ('agent' in need) return agentPath(need.agent.alias);
  if (need.kind === 'results') {
    const [first] = need.messages;
    const task = need.messages.length > 1 ? undefined : first?.in_reply_to;
    const inbox = need.messages.find(({ alias }) => alias === HUB_ALIAS) ?? first;
    return task === undefined ? LISTS.results(inbox?.alias ?? '') : taskPath(task);
  }
  if (need.kind === 'mail')
    return withQuery(PATHS.messages, { of: needTitle(need), with: isGroup(need) ? need.shown.alias : undefined });
  return isGroup(need) ? tasksPath({ to: needTitle(need), status: need.task.status }) : taskPath(need.task.task_id);
}

/** The lists that contain all needs of a kind. */
const LISTS: Record<NeedKind, (me: string) => string> = {
  waiting_input: () => agentsPath({ status: 'waiting_input' }),
  mail: (me) => withQuery(PATHS.messages, { of: me }),
  asked: (me) => tasksPath({ to: me }),
  blocked: () => agentsPath({ status: 'blocked' }),
  error: () => agentsPath({ status: 'error' }),
  stuck: () => agentsPath({ status: 'working' }),
  abandoned: () => tasksPath({ status: 'running' }),
  failed: () => tasksPath({ status: 'failed' }),
  expired: () => tasksPath({ status: 'expired' }),
  expiring: () => tasksPath({ status: 'delivered' }),
  unfetched: () => tasksPath({ status: 'delivered' }),
  results: (inbox) => withQuery(PATHS.messages, { of: inbox }),
};

export function listPath({ kind }: Need, me: string): string {
  return LISTS[kind](me);
}

/** Why it needs a person. */
export function needReason(need: Need, now: number): string {
  if ('agent' in need) return agentReason(need, now);
  if (need.kind === 'results') return resultsReason(need.messages);
  return need.kind === 'mail' ? mailReason(need) : taskReason(need, now);
}

const SHOWN_RESULTS = 3;

/** The newest results. */
function resultsReason(messages: readonly MessageRecord[]): string {
  const newest = messages.toReversed().slice(0, SHOWN_RESULTS);
  return newest
    .map(({ from_session, content }) => words.value.labelled(from_session, headline(withoutHeadings(content))))
    .join(' · ');
}

function mailReason({ messages, shown, asker, task }: MailNeed): string {
  const { agentStatus, labelled, messages: text, needsYou } = words.value;
  const state = asker && withPresence(agentStatus[asker.kind === 'blocked' ? 'blocked' : 'waiting_input'], asker.agent);
  const unread = messages.length > 1 ? text.unreadCount(messages.length) : undefined;
  const ended = task === undefined || isLive(task) ? undefined : needsYou.ended;
  const kinds = [ended, state, unread].filter((part) => part !== undefined);
  return labelled(kinds.join(' · ') || text.kind[shown.type], asked(shown));
}

/** The start of a message, or the line that asks something, which often comes last, and what follows it. */
function asked({ type, content }: MessageRecord): string {
  const lines = content.split('\n');
  const asks = (line: string) => hasQuestionMark(headline(line));
  const start = type !== 'message' || asks(content) ? 0 : lines.findLastIndex(asks);
  return excerpt(lines.slice(Math.max(0, start)).join('\n'));
}

function withPresence(state: string, { status }: Agent): string {
  return status === 'offline' ? `${state} · ${words.value.agentStatus.offline}` : state;
}

/** Whether an agent has said nothing, so that its row says what it works on. That is not what it asks. */
function saysWork({ kind, agent, question }: AgentNeed): boolean {
  return kind !== 'waiting_input' && question === undefined && headline(agent.last_output ?? '') === '';
}

/** Includes its question, or the last output of the agent, or else its current task. */
function agentReason(need: AgentNeed, now: number): string {
  const { kind, agent, task, question, since, answeredAt, isAnswered } = need;
  const { agentStatus, labelled, needsYou } = words.value;
  const stuck = () => needsYou.stuck(age(momentOf(since), now, language.value));
  const state = kind === 'stuck' ? stuck() : agentStatus[kind];
  const output = saysWork(need) ? workOf(agent, task) : headline(agent.last_output ?? '');
  const doing = question === undefined ? output : asked(question);
  const isSaid = doing.toLowerCase().startsWith(state.toLowerCase()); // "Error: no space left"
  const [said, rest] = isSaid ? [doing, ''] : [state, doing];
  const reason = rest === '' ? withPresence(said, agent) : labelled(withPresence(said, agent), rest);
  if (answeredAt === undefined) return reason;
  const ago = age(answeredAt, now, language.value);
  const isLost = kind === 'stuck' && agent.status === 'offline'; // nobody reads what is written to it
  const answered = isLost ? needsYou.writtenAgo(ago) : isAnswered ? needsYou.answered : needsYou.answeredAgo(ago);
  return `${answered} · ${reason}`;
}

function taskReason(need: TaskNeed, now: number): string {
  const { writtenAt } = need;
  const reason = taskState(need, now);
  return writtenAt === undefined
    ? reason
    : `${words.value.needsYou.writtenAgo(age(writtenAt, now, language.value))} · ${reason}`;
}

function taskState({ kind, task, tasks, since }: TaskNeed, now: number): string {
  const { needsYou } = words.value;
  if (tasks.length > 1 && !isPast(kind)) return groupReason(kind, tasks, now, since);
  if (tasks.length > 1) return failuresReason(kind, task, tasks.length);
  const { content, from_name, to_name, expires_at } = task;
  const result = excerpt(withoutHeadings(task.result ?? ''));
  if (kind === 'asked') return [needsYou.asked(from_name), excerpt(afterHeadline(content))].join(' ').trimEnd();
  if (kind === 'failed') return result === '' ? needsYou.failed(to_name) : needsYou.failedWith(to_name, result);
  if (kind === 'expired') return needsYou.expired(to_name);
  if (kind === 'abandoned') return abandonedReason(task, now);
  const why = stateSentences(task, now);
  const { all } = words.value.task.whyText;
  const left = ofTime(momentOf(expires_at) - now);
  if (kind === 'expiring') return all([needsYou.expiring(to_name, left), ...why]);
  const waited = ofTime(now - momentOf(since));
  return why.length === 0 ? needsYou.unfetched(to_name, waited, left) : all([needsYou.waiting(waited, left), ...why]);
}

/** The lines below the title, such as the options of a question. */
function afterHeadline(content: string): string {
  return content.trimStart().split('\n').slice(1).join('\n');
}

/** The newest failure, with its result. */
function failuresReason(kind: TaskNeed['kind'], { content, result }: TaskRecord, n: number): string {
  const { labelled, needsYou, taskStatus } = words.value;
  const what = kind === 'expired' ? `${needsYou.tasks(n)} · ${taskStatus.expired}` : needsYou.failures(n);
  return labelled(
    what,
    [headline(content), excerpt(withoutHeadings(result ?? ''))].filter((part) => part !== '').join(' · '),
  );
}

/** What the agent of several tasks does, what to do, and when the first of them expires. */
function groupReason(kind: TaskNeed['kind'], tasks: readonly TaskRecord[], now: number, since: string): string {
  const { labelled, needsYou, task: text } = words.value;
  const [first] = tasks.toSorted((one, other) => (one.expires_at < other.expires_at ? -1 : 1));
  if (first === undefined) return '';
  const waiting = needsYou.waiting(ofTime(now - momentOf(since)), ofTime(momentOf(first.expires_at) - now));
  const reason =
    kind === 'abandoned' ? abandonedReason(first, now) : text.whyText.all([waiting, ...stateSentences(first, now)]);
  return labelled(needsYou.tasks(tasks.length), reason);
}

function ofTime(ms: number): string {
  return duration(ms, language.value);
}

/** A running task continues while its agent is online. */
function expiry({ status, to_name, expires_at }: TaskRecord, now: number): string[] {
  const left = momentOf(expires_at) - now;
  const doesExpire = status === 'delivered' || agentsByAlias.value?.get(to_name)?.status === 'offline';
  return doesExpire && left > 0 ? [words.value.needsYou.expires(ofTime(left))] : [];
}

function abandonedReason(task: TaskRecord, now: number): string {
  const { needsYou, task: text } = words.value;
  const status = agentsByAlias.value?.get(task.to_name)?.status;
  if (status !== 'idle' && status !== 'offline') return needsYou.abandoned(task.to_name);
  const start = task.status === 'running' ? [] : [needsYou.unstarted];
  return text.whyText.all([...start, ...stateSentences(task, now), ...expiry(task, now)]);
}

/** What its agent does, and what to do. */
function stateSentences(task: TaskRecord, now: number): string[] {
  const agent = agentsByAlias.value?.get(task.to_name);
  if (agentsByAlias.value === null || (agent === undefined && agentsBeyond.value !== null)) return [];
  const status = agent?.status ?? 'unknown';
  const presence = presenceSentence(
    task.to_name,
    { assignee_status: status, assignee_last_seen_at: agent?.last_seen_at ?? null },
    { now, language: language.value, words: words.value },
  );
  const advice = adviceFor(task, status, { isForPeople: false, isStuck: false, hasAsked: false });
  return [presence, ...(advice === undefined ? [] : [words.value.task.advice[advice.name]])];
}
