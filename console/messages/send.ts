// Sends each kind of message and returns a confirmation with the recipient and whether they are online.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { Outcome, Priority } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import type { Toast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import {
  broadcast,
  type MessageRecord,
  type NewMessage,
  type Sent,
  sendMessage,
  sendReply,
  sendTask,
} from '../live/api.ts';
import { taskPath } from '../routes.ts';

export const DRAFT_KINDS = ['task', 'message', 'reply', 'broadcast'] as const;
export type DraftKind = (typeof DRAFT_KINDS)[number];

/** The input of the form. */
export type Draft = {
  to: string;
  text: string;
  context: string;
  priority: Priority;
  ttl_seconds: number;
  /** The message that is answered. */
  answered: MessageRecord | undefined;
  /** Settles the answered task with this outcome; without it, the task continues. */
  outcome: Outcome | undefined;
};

export const SENDERS: Record<DraftKind, (draft: Draft) => Promise<Toast>> = {
  async task({ to, text, context, priority, ttl_seconds }) {
    const more = context.trim() === '' ? {} : { context };
    const wanted = { ...sender(), ...more, alias: to, task: text, priority, ttl_seconds };
    const sent = await sendOnce(wanted, sendTask);
    return { ...sentTo(to, sent), path: taskPath(sent.task_id), linkText: words.value.send.open };
  },
  async message({ to, text }) {
    return sentTo(to, await sendOnce({ ...sender(), alias: to, message: text }, sendMessage));
  },
  async reply({ answered, text, outcome }) {
    if (answered === undefined) throw new Error('a reply answers something');
    return outcome === undefined ? answerMessage(answered, text) : replyTo(answered, text, outcome);
  },
  async broadcast({ text }) {
    return {
      text: words.value.messages.broadcastSent((await broadcast({ ...sender(), content: text })).delivered_count),
    };
  },
};

const keys = new Map<string, string>();

/** A response can be lost. Sending the same again reuses the key of the first request, so it takes effect once. */
async function sendOnce<Wanted extends object>(wanted: Wanted, send: (wanted: Wanted & Once) => Promise<Sent>) {
  const name = JSON.stringify(wanted);
  const idempotency_key = keys.get(name) ?? crypto.getRandomValues(new Uint32Array(4)).join('-');
  keys.set(name, idempotency_key);
  const sent = await send({ ...wanted, idempotency_key });
  keys.delete(name);
  return sent;
}

type Once = { idempotency_key: string };

function sender() {
  return { network_id: account.value?.network_id, from_session: account.value?.user.username };
}

/** Answers an agent, about its task if it has one. The task continues. */
export async function answerAgent(alias: string, task: TaskRecord | undefined, message: string): Promise<Toast> {
  return sendAnswer({ alias, message, ...(task && { network_id: task.network_id, in_reply_to: task.task_id }) });
}

/** Answers the sender of a message or a task. The task continues. */
export async function answerMessage(message: MessageRecord, text: string): Promise<Toast> {
  const { id, type, task_id = id, network_id, from_session: alias } = message;
  if (type === 'task') return sendAnswer({ network_id, alias, message: text, in_reply_to: task_id });
  return replyTo(message, text, 'replied');
}

/** A reply to a task settles it. */
async function replyTo({ id, network_id, from_session: alias }: MessageRecord, text: string, status: Outcome) {
  return sentTo(alias, await sendReply(id, { ...sender(), network_id, alias, text, status }));
}

async function sendAnswer(message: Omit<NewMessage, 'from_session'>): Promise<Toast> {
  return sentTo(message.alias, await sendMessage({ ...sender(), ...message }));
}

function sentTo(alias: string, { session_status, warning }: Pick<Sent, 'session_status' | 'warning'>): Toast {
  const { send } = words.value;
  // The hub does not warn about names of people, which no agent reports under.
  if (session_status === 'unknown' && warning !== undefined)
    return { text: send.sentToUnknown(alias), tone: 'warning' };
  return session_status === 'offline'
    ? { text: send.sentToOffline(alias), tone: 'warning' }
    : { text: send.sent(alias) };
}
