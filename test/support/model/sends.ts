// The expected effect of every send: its idempotency key, its loop guard, and the delivered message.
import { type Expected, type Reply, settle } from './rules.ts';
import {
  answerPriority,
  DAY,
  isOnline,
  type Message,
  MINUTE,
  type ModelState,
  type Net,
  type Priority,
  presentStatus,
  put,
  putAttempt,
  SECOND,
  sessionOf,
  type Task,
} from './state.ts';

const SENDS_REFUSED_AT = 20;
const SENDS_WITHIN = 5 * MINUTE;

type Call = { operation: string; input: { idempotency_key?: string }; from: string; to: string; text: string };

/** Does `work` unless the key is known or the loop guard rejects the send. */
function sendOnce(
  state: ModelState,
  net: Net,
  { operation, input, from, to, text }: Call,
  work: () => Expected,
): Expected {
  const { idempotency_key: key } = input;
  const known = state.responses.get(`${net.id} ${key}`);
  const call = JSON.stringify([operation, input]);
  if (key !== undefined && known !== undefined && state.now - known.at < DAY) {
    return known.call === call ? { result: known.response } : { error: 'idempotency_conflict' };
  }
  const identical = JSON.stringify([net.id, from, to, text]);
  const recently = state.sends.filter((send) => send.key === identical && state.now - send.at < SENDS_WITHIN);
  if (recently.length + 1 >= SENDS_REFUSED_AT) return { error: 'duplicate_send' };
  const expected = work();
  if ('error' in expected) return expected;
  state.sends.push({ key: identical, at: state.now });
  return key === undefined ? expected : remembering(state, `${net.id} ${key}`, call, expected);
}

/** The first response, with its ids, is returned for every repetition. */
function remembering(
  state: ModelState,
  key: string,
  call: string,
  expected: Exclude<Expected, { error: string }>,
): Expected {
  const at = state.now;
  return {
    ...expected,
    learns: (response) => {
      expected.learns?.(response);
      state.responses.set(key, { call, response, at });
    },
  };
}

export type TaskSend = {
  alias: string;
  task: string;
  priority?: Priority;
  from_session: string;
  ttl_seconds?: number;
  idempotency_key?: string;
};

export function sendTask(state: ModelState, net: Net, input: TaskSend): Expected {
  const { alias: to, task: content, priority = 'normal', from_session: from, ttl_seconds: ttl = 3600 } = input;
  return sendOnce(state, net, { operation: 'send_task', input, from, to, text: content }, () => {
    const receipt = receiptFor(net, to);
    const task: Task = {
      id: '',
      from,
      to,
      priority,
      status: 'delivered',
      content,
      result: null,
      attempt: 1,
      ttl,
      created: state.now,
      delivered: state.now,
      started: null,
      completed: null,
      expires: state.now + ttl * SECOND,
    };
    net.tasks.push(task);
    const message = putAttempt(state, net, task);
    return {
      result: receipt,
      learns: ({ task_id }) => {
        task.id = String(task_id);
        learn(state, message, task_id);
      },
    };
  });
}

export function sendMessage(
  state: ModelState,
  net: Net,
  input: { alias: string; message: string; from_session: string; idempotency_key?: string },
): Expected {
  const { alias: to, message: text, from_session: from } = input;
  return sendOnce(state, net, { operation: 'send_message', input, from, to, text }, () => {
    const response = receiptFor(net, to);
    const priority = answerPriority(net, to);
    const message = put(state, net, { alias: to, type: 'message', priority, content: text, from });
    return { result: response, learns: ({ message_id }) => learn(state, message, message_id) };
  });
}

export function sendReply(state: ModelState, net: Net, input: Reply & { idempotency_key?: string }): Expected {
  const { alias: to, text, from_session: from, status = 'replied', in_reply_to: about = '' } = input;
  // The same text about two tasks makes two replies.
  return sendOnce(state, net, { operation: 'send_reply', input, from, to, text: `re ${about}: ${text}` }, () => {
    const response = receiptFor(net, to);
    const link = settle(state, net, input);
    if ('error' in link) return link;
    const ofTask = link.task && { task: link.task, attempt: link.task.attempt, status };
    const message = put(state, net, {
      alias: to,
      type: 'reply',
      priority: answerPriority(
        net,
        to,
        net.messages.find(({ id }) => id === link.about),
      ),
      content: text,
      from,
      ...ofTask,
      ...(link.about !== undefined && { about: link.about }),
    });
    return { result: response, learns: ({ message_id }) => learn(state, message, message_id) };
  });
}

export function broadcast(
  state: ModelState,
  net: Net,
  input: { content: string; from_session: string; idempotency_key?: string },
): Expected {
  const { content, from_session: from } = input;
  return sendOnce(state, net, { operation: 'broadcast', input, from, to: '*', text: content }, () => {
    const recipients = net.sessions.filter(
      (session) => isOnline(session) && session.alias !== from && session.resume_id !== from,
    );
    // They arrive at once. Their order shows only after a takeover of another inbox.
    for (const alias of recipients.map((session) => session.alias).sort())
      put(state, net, { alias, type: 'broadcast', content, from });
    return { result: { ok: true, delivered_count: recipients.length } };
  });
}

export function learn(state: ModelState, message: Message, id: unknown): void {
  message.id = String(id);
  state.knownIds.push(message.id);
}

/** A warning when the message will not be read soon. */
function receiptFor(net: Net, alias: string): object {
  const session = sessionOf(net, alias);
  const status = session === undefined ? 'unknown' : presentStatus(session);
  const warns = status === 'unknown' || status === 'offline';
  return { ok: true, session_status: status, ...(warns && { warning: 'nobody there' }) };
}
