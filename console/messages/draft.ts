// State, validation and submission of the composer.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DEFAULT_TTL_SECONDS, MAX_TEXT, MAX_TTL_SECONDS } from '../../server/domain/limits.ts';
import type { Outcome, Priority } from '../../server/domain/task-status.ts';
import { showToast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { lengthOf } from '../parts/lengths.ts';
import { type DraftKind, SENDERS } from './send.ts';

/** In seconds. */
export const TTLS = [300, 900, DEFAULT_TTL_SECONDS, 21_600, MAX_TTL_SECONDS] as const;

export type ComposerState = ReturnType<typeof useComposer>;

export function useComposer(kind: DraftKind, answered: MessageRecord | undefined, onSent: () => void) {
  const alias = useSignal('');
  const text = useSignal('');
  const context = useSignal('');
  const priority = useSignal<Priority>('normal');
  const ttl = useSignal(String(DEFAULT_TTL_SECONDS));
  const outcome = useSignal<Outcome | undefined>(undefined);
  const tried = useSignal(false);
  const isBusy = useSignal(false);
  const problem = useSignal<string | null>(null);
  // Missing fields are reported only after the first attempt to send.
  const errors = useComputed(() => (tried.value ? errorsOf(kind, alias.value, text.value, context.value) : {}));
  useEffect(() => void (problem.value = tried.value ? null : problem.value), [kind]);
  // Every task is answered first, until settling is chosen for it.
  useEffect(() => void (outcome.value = undefined), [answered?.id]);

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    tried.value = true;
    const to = alias.value.trim();
    const isNothingToAnswer = kind === 'reply' && answered === undefined;
    if (isBusy.value || isNothingToAnswer || Object.keys(errorsOf(kind, to, text.value, context.value)).length > 0)
      return;
    isBusy.value = true;
    problem.value = null;
    try {
      const draft = {
        to,
        text: text.value,
        context: context.value,
        priority: priority.value,
        ttl_seconds: Number(ttl.value),
        answered,
        outcome: answered?.type === 'task' ? outcome.value : undefined,
      };
      showToast(await SENDERS[kind](draft));
      text.value = '';
      context.value = '';
      tried.value = false;
      onSent();
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      isBusy.value = false;
    }
  }

  const submitOnKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit(event);
  };
  return { alias, text, context, priority, ttl, outcome, errors, isBusy, problem, submit, submitOnKey };
}

type ComposeErrors = { alias?: string; text?: string; context?: string };

function errorsOf(kind: DraftKind, alias: string, text: string, context: string): ComposeErrors {
  const { messages, send, errors } = words.value;
  const tooLong = errors.tooLong(MAX_TEXT);
  const found: ComposeErrors = {};
  if ((kind === 'task' || kind === 'message') && alias.trim() === '') found.alias = send.needAlias;
  if (text.trim() === '') found.text = messages.needText;
  else if (lengthOf(text) > MAX_TEXT) found.text = tooLong;
  if (kind === 'task' && lengthOf(context) > MAX_TEXT) found.context = tooLong;
  return found;
}
