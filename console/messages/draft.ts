// State, validation and submission of the composer. Unsent text is a draft, which is kept until it is sent.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { DEFAULT_TTL_SECONDS, MAX_TEXT, MAX_TTL_SECONDS } from '../../server/domain/limits.ts';
import { type Outcome, PRIORITIES } from '../../server/domain/task-status.ts';
import { showToast, type Toast } from '../frame/toast.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { errorText } from '../live/error-texts.ts';
import { keptOf, recordOf } from '../live/kept.ts';
import { useProblem } from '../parts/action-dialog.tsx';
import { lengthOf } from '../parts/lengths.ts';
import { statusNamed } from '../parts/statuses.ts';
import { filledIn, placeholdersIn } from '../templates/placeholders.ts';
import { sendAsked } from './open-send.ts';
import { type Draft, type DraftKind, SENDERS } from './send.ts';
import { sendEach } from './send-each.ts';

/** In seconds. */
export const TTLS = [300, 900, DEFAULT_TTL_SECONDS, 21_600, MAX_TTL_SECONDS] as const;

export type ComposerState = ReturnType<typeof useComposer>;

/** `name` identifies the draft. */
export function useComposer(name: string, kind: DraftKind, answered: MessageRecord | undefined, onSent: () => void) {
  const draft = (field: string, initial = '') => keptOf(`${name}.${field}`, initial);
  const [alias, text, context] = [draft('alias'), draft('text'), draft('context')];
  const priority = draft('priority', 'normal');
  const ttl = draft('ttl', String(DEFAULT_TTL_SECONDS));
  /** The name of the template that the draft was made from, and the values of its placeholders. */
  const [template, values] = [draft('template'), draft('values', '{}')];
  /** For each recipient, why sending failed; empty if not tried yet. */
  const others = draft('recipients', '{}');
  const outcome = useSignal<Outcome | undefined>(undefined);
  const tried = useSignal(false);
  const progress = useSignal<{ done: number; all: number } | null>(null);
  const problem = useProblem();
  const form = { alias, text, context, priority, ttl, template, values, others, outcome, progress, problem };
  const placeholders = template.value === '' ? [] : placeholdersIn(text.value, kind === 'task' ? context.value : '');
  // Missing fields are reported only after the first attempt to send.
  const errors = tried.value ? errorsOf(kind, form, placeholders) : {};
  useEffect(() => void (problem.value = tried.value ? null : problem.value), [kind]);
  // Every task is answered first, until settling is chosen for it.
  useEffect(() => void (outcome.value = undefined), [answered?.id]);

  function discard(): void {
    for (const each of [text, context, template]) each.value = '';
    for (const each of [values, others]) each.value = '{}';
    [priority.value, ttl.value] = ['normal', String(DEFAULT_TTL_SECONDS)];
    tried.value = false;
  }

  async function submit(event: Event): Promise<void> {
    event.preventDefault();
    tried.value = true;
    const isNothingToAnswer = kind === 'reply' && answered === undefined;
    const isIncomplete = Object.keys(errorsOf(kind, form, placeholders)).length > 0;
    const { currentTarget } = event;
    if (isIncomplete && currentTarget instanceof HTMLElement)
      setTimeout(() => currentTarget.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
    if (progress.value !== null || isNothingToAnswer || isIncomplete) return;
    problem.value = null;
    const to = kind === 'task' || kind === 'message' ? recipientsOf(form) : [alias.value.trim()];
    progress.value = { done: 0, all: to.length };
    try {
      const messageTo = messageOf();
      if (!(await sendAll(form, to, (each) => SENDERS[kind](messageTo(each))))) return;
      discard();
      onSent();
    } catch (error) {
      problem.value = errorText(error);
    } finally {
      progress.value = null;
    }
  }

  function messageOf(): (to: string) => Draft {
    const given = template.value === '' ? {} : recordOf(values.value);
    const message = {
      text: filledIn(text.value, given),
      context: filledIn(context.value, given),
      priority: statusNamed(PRIORITIES, priority.value) ?? 'normal',
      ttl_seconds: Number(ttl.value),
      answered,
      outcome: answered?.type === 'task' ? outcome.value : undefined,
    };
    return (to) => ({ ...message, to });
  }

  const submitOnKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void submit(event);
  };
  return { ...form, placeholders, errors, submit, submitOnKey, discard };
}

type Sending = Pick<ComposerState, 'alias' | 'others' | 'progress' | 'problem'>;

/** Returns false if sending to some failed. They remain as recipients. */
async function sendAll(form: Sending, aliases: readonly string[], send: (to: string) => Promise<Toast>) {
  const [only = ''] = aliases;
  if (aliases.length > 1) return sendToSeveral(form, aliases, send);
  showToast(await send(only));
  return true;
}

async function sendToSeveral(form: Sending, aliases: readonly string[], send: (to: string) => Promise<Toast>) {
  const { send: text } = words.value;
  const left = new Set(aliases);
  const keepLeft = () => (form.others.value = JSON.stringify(Object.fromEntries([...left].map((to) => [to, '']))));
  const waiting: string[] = [];
  form.alias.value = '';
  keepLeft();
  const failed = await sendEach(aliases, send, (to, { tone }) => {
    if (tone === 'warning') waiting.push(to);
    left.delete(to);
    keepLeft();
    form.progress.value = { done: aliases.length - left.size, all: aliases.length };
  });
  form.others.value = JSON.stringify(Object.fromEntries(failed));
  const tone = waiting.length > 0 ? 'warning' : 'good';
  if (failed.size === 0) showToast({ text: text.sentToSeveral(aliases.length, waiting.join(', ')), tone });
  else report(form, text.notSent(failed.size, aliases.length));
  return failed.size === 0;
}

/** The dialog may have been closed in the meantime. */
function report(form: Sending, problem: string): void {
  form.problem.value = problem;
  if (sendAsked.value === null) showToast({ text: problem, tone: 'warning' });
}

type Written = Record<'alias' | 'text' | 'context' | 'values' | 'others', { value: string }>;

/** The recipients added and the one in the field, without duplicates. */
export function recipientsOf({ alias, others }: Pick<Written, 'alias' | 'others'>): string[] {
  const typed = alias.value.trim();
  return [...new Set([...Object.keys(recordOf(others.value)), ...(typed === '' ? [] : [typed])])];
}

type ComposeErrors = { alias?: string; text?: string; context?: string; values?: Record<string, string> };

function errorsOf(kind: DraftKind, form: Written, placeholders: readonly string[]): ComposeErrors {
  const { messages, send, errors } = words.value;
  const [text, context] = [form.text.value, form.context.value];
  const tooLong = errors.tooLong(MAX_TEXT);
  const found: ComposeErrors = {};
  if ((kind === 'task' || kind === 'message') && recipientsOf(form).length === 0) found.alias = send.needAlias;
  if (text.trim() === '') found.text = messages.needText;
  else if (lengthOf(text) > MAX_TEXT) found.text = tooLong;
  if (kind === 'task' && lengthOf(context) > MAX_TEXT) found.context = tooLong;
  const given = recordOf(form.values.value);
  const missing = placeholders.filter((name) => (given[name] ?? '').trim() === '');
  if (missing.length > 0) found.values = Object.fromEntries(missing.map((name) => [name, send.needValue(name)]));
  return found;
}
