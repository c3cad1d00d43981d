// The messages between an agent and people about its task: its questions, and the answers to them.
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { listMessages, type MessageRecord } from '../live/api.ts';
import { agentsByAlias } from '../live/store.ts';
import { byTime } from '../messages/merge.ts';
import { isUnread } from '../messages/read-mail.ts';
import { markAnswered } from '../needs-you/halted-agents.ts';
import { isAskedIn } from '../needs-you/mail-needs.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';

/** The newest messages from and to the agent, among which those about its task are. */
const NEWEST = 100;

/** The messages about a task, oldest first. A part that cannot be loaded is left out. */
export async function loadTalk({ task_id, to_name, network_id }: TaskRecord): Promise<MessageRecord[]> {
  const query = { network_id, without_tasks: 'true', limit: NEWEST } as const;
  const pages = await Promise.all(
    [{ from_session: to_name }, { alias: to_name }].map((side) =>
      listMessages({ ...query, ...side }).catch(() => ({ messages: [] })),
    ),
  );
  return talkAbout(
    task_id,
    to_name,
    pages.flatMap(({ messages }) => messages.toReversed()),
  );
}

/** What refers to the task, and what refers to such a message. */
export function talkAbout(
  task_id: string | undefined,
  agent: string,
  messages: readonly MessageRecord[],
): MessageRecord[] {
  const about = new Set<string | undefined>(task_id === undefined ? [] : [task_id]);
  const unique = new Map(messages.map((message) => [message.id, message]));
  return [...unique.values()].toSorted(byTime).filter(({ id, type, alias, in_reply_to, task_id: settled }) => {
    const isTalk = type === 'message' || (type === 'reply' && alias === agent && settled === undefined);
    if (!isTalk || !about.has(in_reply_to)) return false;
    about.add(id);
    return true;
  });
}

/** The questions of the agent to the person or to `hub` that nobody has answered. */
export function openQuestions(talk: readonly MessageRecord[], agent: string): MessageRecord[] {
  const inboxes = [account.value?.user.username, HUB_ALIAS];
  return talk.filter(({ id, alias, from_session, in_reply_to }, at) => {
    if (from_session !== agent || !inboxes.includes(alias)) return false;
    return !talk.some(
      (other, position) =>
        other.alias === agent && (other.in_reply_to === id || (position > at && other.in_reply_to === in_reply_to)),
    );
  });
}

/** The open questions about its running task, and those that nobody has read. */
export function questionsOf(agent: string, task_id: string | undefined, messages: readonly MessageRecord[]) {
  const about = new Set(talkAbout(task_id, agent, messages));
  const talk = messages.filter(({ type }) => type === 'message' || type === 'reply').toSorted(byTime);
  return openQuestions(talk, agent).filter((each) => each.type === 'message' && (isUnread(each) || about.has(each)));
}

/** An agent needs nobody once it has an answer, unless that is to a message which is not what it asks now. */
export function agentAnswered(alias: string, answered?: MessageRecord): void {
  const agent = agentsByAlias.value?.get(alias);
  if (agent === undefined) return;
  if (answered === undefined || isAskedIn(agent, answered)) markAnswered(agent);
}
