// The expected effect of every send: its idempotency key, its loop guard, and the delivered message.
import { type Expected, type Reply, settle } from './rules.ts';
import {
  DAY,
  isOnline,
  type Message,
  MINUTE,
  type Net,
  type Priority,
  presentStatus,
  put,
  putAttempt,
  SECOND,
  sessionOf,
  type Task,
  type World,
} from './state.ts';

const SENDS_REFUSED_AT = 20;
const SENDS_WITHIN = 5 * MINUTE;

type Call = { operation: string; input: { idempotency_key?: string }; from: string; to: string; text: string };

/** Does `work` unless the key is known or the loop guard rejects the send. */
function sendOnce(world: World, net: Net, { operation, input, from, to, text }: Call, work: () => Expected): Expected {
  const { idempotency_key: key } = input;
  const known = world.answers.get(`${net.id} ${key}`);
  const call = JSON.stringify([operation, input]);
  if (key !== undefined && known !== undefined && world.now - known.at < DAY) {
    return known.call === call ? { answer: known.answer } : { error: 'idempotency_conflict' };
  }
  const identical = JSON.stringify([net.id, from, to, text]);
  const lately = world.sends.filter((send) => send.key === identical && world.now - send.at < SENDS_WITHIN);
  if (lately.length + 1 >= SENDS_REFUSED_AT) return { error: 'duplicate_send' };
  const expected = work();
  if ('error' in expected) return expected;
  world.sends.push({ key: identical, at: world.now });
  return key === undefined ? expected : remembering(world, `${net.id} ${key}`, call, expected);
}

/** The first response, with its ids, is returned for every repetition. */
function remembering(
  world: World,
  key: string,
  call: string,
  expected: Exclude<Expected, { error: string }>,
): Expected {
  const at = world.now;
  return {
    ...expected,
    learns: (answer) => {
      expected.learns?.(answer);
      world.answers.set(key, { call, answer, at });
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

export function sendTask(world: World, net: Net, input: TaskSend): Expected {
  const { alias: to, task: content, priority = 'normal', from_session: from, ttl_seconds: ttl = 3600 } = input;
  return sendOnce(world, net, { operation: 'send_task', input, from, to, text: content }, () => {
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
      created: world.now,
      delivered: world.now,
      started: null,
      completed: null,
      expires: world.now + ttl * SECOND,
    };
    net.tasks.push(task);
    const message = putAttempt(world, net, task);
    return {
      answer: receipt,
      learns: ({ task_id }) => {
        task.id = String(task_id);
        learn(world, message, task_id);
      },
    };
  });
}

export function sendMessage(
  world: World,
  net: Net,
  input: { alias: string; message: string; from_session: string; idempotency_key?: string },
): Expected {
  const { alias: to, message: text, from_session: from } = input;
  return sendOnce(world, net, { operation: 'send_message', input, from, to, text }, () => {
    const answer = receiptFor(net, to);
    const message = put(world, net, { alias: to, type: 'message', content: text, from });
    return { answer, learns: ({ message_id }) => learn(world, message, message_id) };
  });
}

export function sendReply(world: World, net: Net, input: Reply & { idempotency_key?: string }): Expected {
  const { alias: to, text, from_session: from, status = 'replied', in_reply_to: about = '' } = input;
  // The same text about two tasks makes two replies.
  return sendOnce(world, net, { operation: 'send_reply', input, from, to, text: `re ${about}: ${text}` }, () => {
    const answer = receiptFor(net, to);
    const link = settle(world, net, input);
    if ('error' in link) return link;
    const ofTask = link.task && { task: link.task, attempt: link.task.attempt, status };
    const message = put(world, net, {
      alias: to,
      type: 'reply',
      content: text,
      from,
      ...ofTask,
      ...(link.about !== undefined && { about: link.about }),
    });
    return { answer, learns: ({ message_id }) => learn(world, message, message_id) };
  });
}

export function broadcast(
  world: World,
  net: Net,
  input: { content: string; from_session: string; idempotency_key?: string },
): Expected {
  const { content, from_session: from } = input;
  return sendOnce(world, net, { operation: 'broadcast', input, from, to: '*', text: content }, () => {
    const recipients = net.sessions.filter(
      (session) => isOnline(session) && session.alias !== from && session.resume_id !== from,
    );
    // They arrive at once. Their order shows only after a takeover of another inbox.
    for (const alias of recipients.map((session) => session.alias).sort())
      put(world, net, { alias, type: 'broadcast', content, from });
    return { answer: { ok: true, delivered_count: recipients.length } };
  });
}

export function learn(world: World, message: Message, id: unknown): void {
  message.id = String(id);
  world.knownIds.push(message.id);
}

/** A warning when the message will not be read soon. */
function receiptFor(net: Net, alias: string): object {
  const session = sessionOf(net, alias);
  const status = session === undefined ? 'unknown' : presentStatus(session);
  const warns = status === 'unknown' || status === 'offline';
  return { ok: true, session_status: status, ...(warns && { warning: 'nobody there' }) };
}
