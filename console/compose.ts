// What is filled in to say something, what is wrong with it, and the sending.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Outcome, Priority } from '../server/domain/task.ts';
import { account } from './account.ts';
import { announce } from './announcements.ts';
import { broadcast, type MessageRecord, replyInWords, sendMessage, sendTask } from './api.ts';
import { words } from './i18n/language.ts';
import { lengthOf } from './lengths.ts';
import { problemText } from './problems.ts';

export const COMPOSE_KINDS = ['task', 'message', 'reply', 'broadcast'] as const;
export type ComposeKind = (typeof COMPOSE_KINDS)[number];
export const OUTCOMES = ['replied', 'failed', 'cancelled'] as const satisfies readonly Outcome[];
/** Seconds; the hub keeps a task no longer than a day. */
export const TTLS = [300, 900, 3_600, 21_600, 86_400] as const;

const LONGEST = 10_000;
const SHOWN_MS = 4_000;

export function useCompose(kind: ComposeKind, answered: MessageRecord | undefined, onSent: () => void) {
  const alias = useSignal('');
  const text = useSignal('');
  const context = useSignal('');
  const priority = useSignal<Priority>('normal');
  const ttl = useSignal('3600');
  const status = useSignal<Outcome>('replied');
  const tried = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  const sent = useSignal<string | null>(null);
  // What is missing is nobody's mistake before the first attempt.
  const errors = useComputed(() => (tried.value ? errorsOf(kind, alias.value, text.value, context.value) : {}));
  useEffect(() => void (problem.value = tried.value ? null : problem.value), [kind]);
  useEffect(() => {
    if (sent.value === null) return undefined;
    const timer = setTimeout(() => (sent.value = null), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [sent.value]);

  const from = { network_id: account.value?.network_id, from_session: account.value?.user.username };
  const to = alias.value.trim();

  const SENDS: Record<ComposeKind, () => Promise<string>> = {
    task: async () => {
      const more = context.value.trim() === '' ? {} : { context: context.value };
      await sendTask({ ...from, ...more, alias: to, task: text.value, priority: priority.value, ttl_seconds: Number(ttl.value) });
      return words.value.messages.sent(to);
    },
    message: async () => {
      await sendMessage({ ...from, alias: to, message: text.value });
      return words.value.messages.sent(to);
    },
    reply: async () => {
      if (answered === undefined) return '';
      const settles = answered.type === 'task' ? status.value : 'replied';
      await replyInWords(answered.id, { ...from, alias: answered.from_session, text: text.value, status: settles });
      return words.value.messages.sent(answered.from_session);
    },
    broadcast: async () => words.value.messages.broadcastSent((await broadcast({ ...from, content: text.value })).delivered_count),
  };

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    tried.value = true;
    const isNothingToAnswer = kind === 'reply' && answered === undefined;
    if (isBusy.value || isNothingToAnswer || Object.keys(errorsOf(kind, to, text.value, context.value)).length > 0) return;
    isBusy.value = true;
    problem.value = null;
    try {
      sent.value = await SENDS[kind]();
      announce(sent.value);
      text.value = '';
      context.value = '';
      tried.value = false;
      onSent();
    } catch (error) {
      problem.value = problemText(error);
    } finally {
      isBusy.value = false;
    }
  }

  const submitOnKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit(event);
  };
  return { alias, text, context, priority, ttl, status, errors, isBusy, problem, sent, submit, submitOnKey };
}

type ComposeErrors = { alias?: string; text?: string; context?: string };

function errorsOf(kind: ComposeKind, alias: string, text: string, context: string): ComposeErrors {
  const { messages, send } = words.value;
  const tooLong = send.tooLong(LONGEST);
  const found: ComposeErrors = {};
  if ((kind === 'task' || kind === 'message') && alias.trim() === '') found.alias = messages.needAddressee;
  if (text.trim() === '') found.text = messages.needText;
  else if (lengthOf(text) > LONGEST) found.text = tooLong;
  if (kind === 'task' && lengthOf(context) > LONGEST) found.context = tooLong;
  return found;
}
