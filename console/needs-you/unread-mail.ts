// The unread mail of the person and of `hub`, without messages that were answered here, in another browser or by another
// program.
import { signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { listMessages, type MessageQuery, type MessageRecord } from '../live/api.ts';
import { mayWrite } from '../live/store.ts';
import { atMostEvery } from '../live/throttle.ts';
import { isReadOnSight, markRead } from '../messages/read-mail.ts';
import { momentOf } from '../parts/format.ts';
import { haltedAgents, lastAnswer, loadAnswered } from './halted-agents.ts';
import { rememberNamed } from './known-now.ts';
import { hasQuestionMark, isQuestion, isResult } from './mail-needs.ts';
import { HUB_ALIAS } from './need.ts';
import { isFailureReply } from './task-needs.ts';
import { answeredMail, dismissKeys, questions, sentAgain } from './visit.ts';

const REFRESH_MS = 1_000;
const MAX_MAIL = 100;
const MAX_SEARCHED = 20;

/** All unread messages, and the newest unread results. Null until loaded. */
export const mail = signal<readonly MessageRecord[] | null>(null);
/** Whether there are more unread results. */
export const isMailCut = signal(false);

/** The results of a task that the person has not read. */
export function unreadResultsOf(task_id: string): readonly MessageRecord[] {
  return (mail.value ?? []).filter((message) => message.in_reply_to === task_id && isReadOnSight(message));
}

export function watchMail(network_id: string, me: string) {
  let isClosed = false;
  /** The questions for which the answers of the person were loaded. */
  const compared = new Set<string>();
  /** The agents whose questions were looked up. */
  const searched = new Set<string>();
  const { soon, stop } = atMostEvery(REFRESH_MS, () => void load());

  async function load(): Promise<void> {
    const aliases = [...new Set([me, HUB_ALIAS])];
    const lists = await Promise.all(aliases.map((alias) => listPending(network_id, alias))).catch(() => undefined);
    const found = lists?.flatMap(({ messages }) => messages) ?? mail.value ?? [];
    const [answers, asked] = await Promise.all([
      loadAnswers(found),
      loadQuestions(found),
      rememberNamed(network_id, found),
    ]);
    if (isClosed) return;
    rememberQuestions([...found, ...asked]);
    for (const { in_reply_to } of answers) if (in_reply_to !== undefined) answeredMail.add(in_reply_to);
    const isAnswered = (message: MessageRecord) =>
      answeredMail.has(message.id) || (isFailureReply(message) && sentAgain.has(message.in_reply_to ?? ''));
    isMailCut.value = lists?.some(({ isCut }) => isCut) ?? isMailCut.value;
    mail.value = found.filter((message) => !isAnswered(message));
    const ids = found.filter(isAnswered).map(({ id }) => id);
    if (ids.length > 0 && mayWrite.value) void markRead(ids).catch(() => {});
  }

  async function loadAnswers(found: readonly MessageRecord[]): Promise<readonly MessageRecord[]> {
    const questions = found.filter((message) => isQuestion(message) && !compared.has(message.id));
    const askers = haltedAgents().filter(({ mark }) => !compared.has(mark));
    if (questions.length + askers.length === 0) return [];
    const query = { network_id, from_session: me, without_tasks: 'true', limit: MAX_MAIL } as const;
    const page = await listMessages(query).catch(() => undefined);
    if (page === undefined) return [];
    for (const id of [...questions.map(({ id }) => id), ...askers.map(({ mark }) => mark)]) compared.add(id);
    const known = askers.map(({ agent }) => agent);
    const answered = await loadAnswered(known, page.messages, found);
    for (const { agent, mark } of askers) {
      const answer = lastAnswer(agent, page.messages, answered);
      if (answer !== undefined && !isClosed) dismissKeys([mark], momentOf(answer.created_at));
    }
    return page.messages;
  }

  /** The last message of each agent that waits and whose output asks nothing. It may have been read. */
  async function loadQuestions(found: readonly MessageRecord[]): Promise<readonly MessageRecord[]> {
    const silent = haltedAgents()
      .filter(({ agent, mark }) => !hasQuestionMark(agent.last_output ?? '') && !searched.has(mark))
      .filter(({ agent }) => !found.some(({ from_session }) => from_session === agent.alias))
      .slice(0, MAX_SEARCHED);
    const load = async ({ agent, mark }: (typeof silent)[number]): Promise<readonly MessageRecord[]> => {
      const query = { network_id, alias: me, from_session: agent.alias, type: 'message', limit: 1 } as const;
      const page = await listMessages(query).catch(() => undefined);
      if (page !== undefined) searched.add(mark);
      return page?.messages ?? [];
    };
    return (await Promise.all(silent.map(load))).flat();
  }

  return {
    loadSoon: soon,
    /** Loads also the answers, if an agent waits for one that was not compared yet. */
    compareSoon: () => {
      if (haltedAgents().some(({ mark }) => !compared.has(mark))) soon();
    },
    /** The person has answered one of the questions, and its event does not tell which. */
    compareAgain: () => {
      compared.clear();
      soon();
    },
    stop: () => {
      isClosed = true;
      stop();
      mail.value = null;
      questions.value = new Map();
      isMailCut.value = false;
    },
  };
}

function rememberQuestions(messages: readonly MessageRecord[]): void {
  const known = new Map(questions.value);
  for (const message of messages.filter(({ type, content }) => type === 'message' && hasQuestionMark(content)))
    if (message.created_at >= (known.get(message.from_session)?.created_at ?? ''))
      known.set(message.from_session, message);
  questions.value = known;
}

/** An answered message has been read. */
export function readAnswered(id: string | null): void {
  if (id !== null) answeredMail.add(id);
  const answered = mail.value?.find((message) => message.id === id);
  if (answered !== undefined && answered.type !== 'task') void markRead([answered.id]).catch(() => {});
}

/** Results can be many, and must not push out the questions before them. */
async function listPending(network_id: string, alias: string) {
  const query = { network_id, alias, pending: 'true', limit: MAX_MAIL } as const;
  const [questions, results] = await Promise.all([
    pagesOf({ ...query, type: 'message' }),
    listMessages({ ...query, type: 'reply' }),
  ]);
  return { messages: [...questions, ...results.messages], isCut: results.next_cursor !== undefined };
}

async function pagesOf(query: MessageQuery): Promise<readonly MessageRecord[]> {
  const { messages, next_cursor } = await listMessages(query);
  return next_cursor === undefined ? messages : [...messages, ...(await pagesOf({ ...query, cursor: next_cursor }))];
}

/** Marks all results up to this moment as read, also those that are not loaded. */
export async function readResults(network_id: string | undefined, until: string): Promise<void> {
  for (const alias of [account.value?.user.username, HUB_ALIAS]) {
    const unread = await pagesOf({ network_id, alias, pending: 'true', type: 'reply', limit: MAX_MAIL });
    await markRead(unread.filter((each) => isResult(each) && each.created_at <= until).map(({ id }) => id));
  }
}
