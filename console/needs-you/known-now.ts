// What the page knows at this moment, from which the needs follow.
import type { TaskRecord } from '../../server/domain/task.ts';
import { recentProgress } from '../agents/recent-progress.ts';
import { type Agent, type MessageRecord, showTask } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { RequestError } from '../live/request.ts';
import { agentsBeyond, agentsByAlias, mayWrite } from '../live/store.ts';
import { knownTasks, rememberTasks, taskKnown } from '../live/task-pool.ts';
import { readHere } from '../messages/read-mail.ts';
import { isAboutTask } from './mail-needs.ts';
import { HUB_ALIAS, type Known, type TaskContext } from './need.ts';
import { holdersOf, isFailureReply, taskNeedKind } from './task-needs.ts';
import { questions, visit } from './visit.ts';

export function knownNow(
  me: string,
  list: readonly Agent[],
  unread: readonly MessageRecord[],
  isMailCut: boolean,
): Known {
  const inboxes = [me, HUB_ALIAS].filter((alias) => agentsByAlias.value?.has(alias) !== true);
  const holders = holdersOf(
    list,
    knownTasks(({ started_at }) => started_at !== null, Infinity),
  );
  const areAllAgentsKnown = agentsBeyond.value === null;
  const context = { now: hubTime(), me, inboxes, holders, areAllAgentsKnown, seenAt: visit.value.seenAt };
  return {
    ...context,
    agents: list,
    progress: recentProgress(context.now),
    tasks: knownTasks(relevantTo(unread, context), Infinity),
    mail: unread.filter(({ id }) => !readHere.value.has(id)),
    questions: questions.value,
    isMailCut,
    dismissed: new Set(visit.value.dismissed),
    answeredAt: visit.value.answeredAt,
    mayWrite: mayWrite.value,
  };
}

/** Tasks that run or need somebody, and those that the messages are about. */
function relevantTo(unread: readonly MessageRecord[], context: TaskContext): (task: TaskRecord) => boolean {
  const named = new Set(unread.filter(namesTask).map(({ in_reply_to }) => in_reply_to));
  const asked = new Map<string, string>(); // when the oldest message of each sender was sent
  for (const { from_session, created_at } of unread)
    if (created_at < (asked.get(from_session) ?? '~')) asked.set(from_session, created_at);
  return (task) =>
    task.status === 'running' ||
    named.has(task.task_id) ||
    (task.completed_at ?? '') >= (asked.get(task.to_name) ?? '~') ||
    taskNeedKind(task, context) !== undefined;
}

function namesTask(message: MessageRecord): boolean {
  return isFailureReply(message) || isAboutTask(message);
}

const MOST_LOADED = 20;

/**
 * Loads the tasks of reported failures, which may have another state by now, and those that messages are about, which
 * may have ended.
 */
export async function rememberNamed(network_id: string, unread: readonly MessageRecord[]): Promise<void> {
  const ids = new Set(unread.filter(namesTask).map(({ in_reply_to = '' }) => in_reply_to));
  const isUnknown = (id: string) => id.startsWith('task_') && taskKnown(id) === undefined && !missing.has(id);
  const unknown = [...ids].filter(isUnknown).slice(0, MOST_LOADED);
  const load = (id: string) =>
    showTask(id, { network_id }).catch((error: unknown) => {
      if (error instanceof RequestError && error.status === 404) missing.add(id);
    });
  const loaded = await Promise.all(unknown.map(load));
  rememberTasks(loaded.flatMap((shown) => shown?.task ?? []));
}

/** Those that the hub no longer has. They are not requested again. */
const missing = new Set<string>();
