// The form that sends a task, message, reply or broadcast. Its kind and the message it replies to are part of the
// address.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isLive, OUTCOMES, type Outcome } from '../../server/domain/task-status.ts';
import { account } from '../account/account.ts';
import { AliasInput, isOwnInbox, isUnknown } from '../agents/alias-input.tsx';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { type MessageRecord, showMessage } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { agentsByAlias, onlineCount } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { haltedStatus } from '../needs-you/agent-needs.ts';
import { Choice } from '../parts/choice.tsx';
import { controlOf, Field } from '../parts/field.tsx';
import { excerpt } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { Notice } from '../parts/notice.tsx';
import { statusNamed } from '../parts/statuses.ts';
import type { Between } from './conversation.ts';
import { type ComposerState, useComposer } from './draft.ts';
import { readHere } from './read-mail.ts';
import { DRAFT_KINDS, type DraftKind } from './send.ts';
import { ComposeContext, ComposeUrgency } from './task-options.tsx';

/** What is written to an agent that waits for a person is rarely another task. */
function needsSomebody(alias: string | undefined): boolean {
  const agent = agentsByAlias.value?.get(alias ?? '');
  return agent !== undefined && haltedStatus(agent, hubTime()) !== undefined;
}

export function Composer({ rows, between }: { rows: readonly MessageRecord[]; between: Between }) {
  const { messages: text } = words.value;
  const { query, replace } = useAddress();
  const asked = useAsked(rows, between.of);
  const answeredLast = useSignal<string | undefined>(undefined);
  const isTalking =
    isWithPerson(rows, between.of) ||
    needsSomebody(between.of) ||
    (between.of !== undefined && answeredLast.value === between.of);
  const usual = asked.value !== undefined ? 'reply' : isTalking ? 'message' : 'task';
  const kind = statusNamed(DRAFT_KINDS, query['kind']) ?? usual;
  const answered = useAnswered(rows, kind === 'reply' ? (query['reply_to'] ?? asked.value) : undefined);
  const form = useComposer(`compose.${between.of ?? ''}`, kind, answered, () => {
    // What is added to an answer is not a task.
    if (kind === 'reply') answeredLast.value = between.of;
    asked.value = undefined;
    replace({ reply_to: undefined });
  });
  // Nobody writes to themselves.
  const to = between.of === account.value?.user.username ? between.with : between.of;
  useEffect(() => void (form.alias.value = to ?? form.alias.value), [to]);
  useEffect(() => {
    if (answered !== undefined && query['reply_to'] !== undefined) document.getElementById('compose-text')?.focus();
  }, [answered?.id]);
  const options = DRAFT_KINDS.map((value) => ({ value, label: labelOf(value) }));
  const choose = (value: DraftKind) => {
    asked.value = undefined;
    replace({ kind: value, reply_to: undefined });
  };
  return (
    <form class="composer" aria-label={text.compose} noValidate onSubmit={form.submit} onKeyDown={form.submitOnKey}>
      {form.problem.value !== null && <Notice tone="error">{form.problem.value}</Notice>}
      <div class="composer-kind">
        <Choice name="compose-kind" legend={text.composeKind} options={options} chosen={kind} onChoose={choose} />
        <p class="field-hint">{hintOf(kind, form, answered)}</p>
      </div>
      {kind === 'reply' ? (
        <Answered answered={answered} form={form} onCancel={() => (asked.value = undefined)} />
      ) : (
        kind !== 'broadcast' && (
          <AliasInput id="compose-to" label={text.recipient} value={form.alias} error={form.errors.alias} />
        )
      )}
      <Words kind={kind} form={form} isReady={kind !== 'reply' || answered !== undefined} />
      {kind === 'task' && <Options form={form} />}
    </form>
  );
}

/** A sender that no agent reports under is a person. */
function isWithPerson(rows: readonly MessageRecord[], name = ''): boolean {
  return isOwnInbox(name) || (isUnknown(name) && rows.some(({ from_session }) => from_session === name));
}

/**
 * The id of the unread question of this sender, as it was when the conversation was opened: what is typed must not
 * become an answer because a question arrives.
 */
function useAsked(rows: readonly MessageRecord[], of: string | undefined) {
  const asked = useSignal<string | undefined>(undefined);
  const opened = useRef<string | undefined>(undefined);
  // With the first rows: if the form grew later, it would push mail off the screen before it was read.
  if (rows.length > 0 && opened.current !== of) {
    opened.current = of;
    asked.value = rows.findLast((message) => message.from_session === of && isOpenQuestion(message))?.id;
  }
  return asked;
}

function isOpenQuestion({ type, alias, acked_at, id }: MessageRecord): boolean {
  return type === 'message' && isOwnInbox(alias) && acked_at === null && !readHere.value.has(id);
}

/** From the log, or loaded where the log does not reach back to it. */
function useAnswered(rows: readonly MessageRecord[], id: string | undefined): MessageRecord | undefined {
  const older = useSignal<MessageRecord | null>(null);
  const listed = rows.find((message) => message.id === id);
  useEffect(() => {
    if (id === undefined || listed !== undefined) return;
    // If it does not exist, the form asks to select a message.
    showMessage(id, { network_id: account.value?.network_id }).then(
      ({ message }) => (older.value = message),
      () => {},
    );
  }, [id, listed === undefined]);
  const { value: loaded } = older;
  return listed ?? (loaded !== null && loaded.id === id ? loaded : undefined);
}

function hintOf(kind: DraftKind, { outcome }: ComposerState, answered: MessageRecord | undefined): string {
  const { messages: text, settle } = words.value;
  if (kind === 'broadcast') return `${text.hint.broadcast} ${text.agentsOnline(onlineCount.value)}`;
  return answered === undefined || outcome.value === undefined ? text.hint[kind] : settle.hint(answered.from_session);
}

/** What is received as a reply is written as an answer, or as the result of a task. */
function labelOf(kind: DraftKind, outcome?: Outcome): string {
  const { messages, answer, settle } = words.value;
  if (kind !== 'reply') return messages.kind[kind];
  return outcome === undefined ? answer.act : settle.label;
}

function Words({ kind, form, isReady }: { kind: DraftKind; form: ComposerState; isReady: boolean }) {
  const { messages: text } = words.value;
  const label = labelOf(kind, form.outcome.value);
  const field = { id: 'compose-text', label, error: form.errors.text };
  return (
    <div class="composer-input">
      <Field {...field}>
        <textarea
          {...controlOf(field, form.text)}
          class="input composer-text"
          rows={2}
          dir="auto"
          placeholder={`${label}…`}
          aria-keyshortcuts="Control+Enter Meta+Enter"
        />
      </Field>
      <button type="submit" class="button button-primary" aria-disabled={form.progress.value !== null || !isReady}>
        <Icon name="send" />
        {text.send}
      </button>
    </div>
  );
}

type AnsweredProps = { answered: MessageRecord | undefined; form: ComposerState; onCancel(): void };

function Answered({ answered, form, onCancel }: AnsweredProps) {
  const { messages: text } = words.value;
  const { pathWith } = useAddress();
  if (answered === undefined) return <p class="field-hint">{text.selectMessage}</p>;
  return (
    <>
      <p class="composer-reply-to">
        <span class="field-hint">{text.answering}</span>
        <bdi class="composer-quote">
          {answered.from_session}: {excerpt(answered.content)}
        </bdi>
        <a
          class="button button-quiet button-icon button-small"
          href={pathWith({ reply_to: undefined })}
          onClick={onCancel}
          aria-label={text.cancelAnswer}
        >
          <Icon name="close" />
        </a>
      </p>
      {answered.type === 'task' && isUnsettled(answered) && <Settling form={form} />}
    </>
  );
}

/** A task that this page does not know may still run. */
function isUnsettled({ task_id = '' }: MessageRecord): boolean {
  const task = taskKnown(task_id);
  return task === undefined || isLive(task);
}

/** An answer settles the task only on request. */
function Settling({ form: { outcome } }: { form: ComposerState }) {
  const { settle, taskStatus } = words.value;
  return (
    <div class="composer-settle">
      <Choice
        name="compose-act"
        legend={settle.choice}
        options={[
          { value: 'answer', label: settle.goesOn },
          { value: 'settle', label: settle.submit },
        ]}
        chosen={outcome.value === undefined ? 'answer' : 'settle'}
        onChoose={(act) => (outcome.value = act === 'settle' ? 'replied' : undefined)}
      />
      {outcome.value !== undefined && (
        <Choice
          name="compose-status"
          legend={settle.outcome}
          options={OUTCOMES.map((value) => ({ value, label: taskStatus[value] }))}
          chosen={outcome.value}
          onChoose={(value) => (outcome.value = value)}
        />
      )}
    </div>
  );
}

function Options({ form }: { form: ComposerState }) {
  const isOpen = useSignal(false);
  return (
    <details
      class="composer-options"
      open={isOpen.value}
      onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}
    >
      <summary>{words.value.messages.options}</summary>
      <ComposeUrgency form={form} id="compose" />
      <ComposeContext form={form} id="compose" />
    </details>
  );
}
