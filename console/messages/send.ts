// Sends each kind of message and returns a confirmation with the recipient and whether they are online.
import type { Outcome, Priority } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import type { Toast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import { broadcast, type MessageRecord, type Sent, sendMessage, sendReply, sendTask } from '../live/api.ts';
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
  /** The message a reply answers and the resulting task status. */
  answered: MessageRecord | undefined;
  status: Outcome;
};

export const SENDERS: Record<DraftKind, (draft: Draft) => Promise<Toast>> = {
  async task({ to, text, context, priority, ttl_seconds }) {
    const more = context.trim() === '' ? {} : { context };
    const sent = await sendTask({ ...sender(), ...more, alias: to, task: text, priority, ttl_seconds });
    return { ...sentTo(to, sent), path: taskPath(sent.task_id), linkText: words.value.send.open };
  },
  async message({ to, text }) {
    return sentTo(to, await sendMessage({ ...sender(), alias: to, message: text }));
  },
  async reply({ answered, text, status }) {
    if (answered === undefined) throw new Error('a reply answers something');
    const to = answered.from_session;
    return sentTo(
      to,
      await sendReply(answered.id, {
        ...sender(),
        alias: to,
        text,
        status: answered.type === 'task' ? status : 'replied',
      }),
    );
  },
  async broadcast({ text }) {
    return {
      text: words.value.messages.broadcastSent((await broadcast({ ...sender(), content: text })).delivered_count),
    };
  },
};

function sender() {
  return { network_id: account.value?.network_id, from_session: account.value?.user.username };
}

function sentTo(alias: string, { session_status }: Pick<Sent, 'session_status'>): Toast {
  const { send } = words.value;
  if (session_status === 'unknown' && alias !== account.value?.user.username)
    return { text: send.sentToUnknown(alias), tone: 'warning' };
  return session_status === 'offline'
    ? { text: send.sentToOffline(alias), tone: 'warning' }
    : { text: send.sent(alias) };
}
