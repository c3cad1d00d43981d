// The dialogs of a task: answer, settle, cancel and reassign.
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, OUTCOMES, type Outcome } from '../../server/domain/task-status.ts';
import { withoutControls } from '../../server/domain/text/controls.ts';
import { account, networkAndActor } from '../account/account.ts';
import { AliasInput, isUnknown } from '../agents/alias-input.tsx';
import { stuckSince } from '../agents/roster.ts';
import { showToast, type Toast } from '../frame/toast.ts';
import { language, words } from '../i18n/language.ts';
import { cancelTask, type MessageRecord, sendReply, showAgent } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { keptOf } from '../live/kept.ts';
import { agentsBeyond, agentsByAlias } from '../live/store.ts';
import { markRead, readHere } from '../messages/read-mail.ts';
import { answerAgent, answerMessage } from '../messages/send.ts';
import { isHalted } from '../needs-you/agent-needs.ts';
import type { MailNeed } from '../needs-you/need.ts';
import { ActionDialog, useAction } from '../parts/action-dialog.tsx';
import { Moment } from '../parts/age.tsx';
import { Choice } from '../parts/choice.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { headline } from '../parts/format.ts';
import { Notice } from '../parts/notice.tsx';
import { AgentText } from '../text/agent-text.tsx';
import { handOver } from './hand-over.ts';
import { reachSentences } from './reach.ts';
import { TaskLink, TaskRoute } from './task-route.tsx';

type TaskDialogProps = { task: TaskRecord; onClose(): void; onDone?: () => void };

type AnswerDialogProps = {
  alias: string;
  /** The running task of the agent. It continues. */
  task: TaskRecord | undefined;
  /** What the agent has asked: the answer is to one of them. */
  questions?: readonly MessageRecord[];
  onClose(): void;
  onDone?: () => void;
};

/** Sends a message to an agent, about its task if it has one. */
export function AnswerDialog({ alias, task, questions = [], onClose, onDone = onClose }: AnswerDialogProps) {
  // Questions that arrive or are answered meanwhile do not change what is written about.
  const [messages] = useState(questions);
  const shown = messages.at(-1);
  if (shown !== undefined)
    return <AnswerMessagesDialog need={{ messages, shown }} onAnswered={() => {}} onClose={onClose} onDone={onDone} />;
  return (
    <AnswerForm
      alias={alias}
      draft={`answer.${task?.task_id ?? alias}`}
      send={(text) => answerAgent(alias, task, text)}
      hint={task && words.value.answer.taskHint}
      onClose={onClose}
      onDone={onDone}
    >
      {task !== undefined && <TaskLink task={task} />}
      <LastOutput alias={alias} network_id={task?.network_id ?? account.value?.network_id} />
    </AnswerForm>
  );
}

type AnswerMessagesProps = {
  need: Pick<MailNeed, 'messages' | 'shown'> & Partial<Pick<MailNeed, 'task'>>;
  onAnswered(message: MessageRecord): void;
  onClose(): void;
  onDone?: () => void;
};

/** Answers one of the messages of a sender and marks it as read. It settles nothing. */
export function AnswerMessagesDialog({ need, onAnswered, onClose, onDone = onClose }: AnswerMessagesProps) {
  const { messages, shown } = need;
  const chosen = useSignal(shown);
  const questions = useRef<HTMLFieldSetElement>(null);
  useEffect(() => questions.current?.querySelector(':checked')?.scrollIntoView({ block: 'nearest' }), []);
  const isSent = useSignal(false);
  const send = async (text: string) => {
    const answered = chosen.value;
    const toast = await answerMessage(answered, text);
    isSent.value = true;
    onAnswered(answered);
    // The answer was sent, so an error here must not invite the person to send it again.
    await markRead([answered.id]).catch(() => {});
    return toast;
  };
  return (
    <AnswerForm
      alias={shown.from_session}
      draft={`answer.${messages[0]?.id}`}
      send={send}
      hint={undefined}
      onClose={onClose}
      onDone={onDone}
    >
      {!isSent.value && readHere.value.has(chosen.value.id) && (
        <Notice tone="warning">{words.value.answer.meanwhile}</Notice>
      )}
      {need.task !== undefined && <TaskLink task={need.task} />}
      <fieldset class="answer-question" tabIndex={0} ref={questions} aria-label={words.value.messages.answering}>
        {messages.map((message) => (
          <Question key={message.id} message={message} chosen={messages.length > 1 ? chosen : undefined} />
        ))}
      </fieldset>
    </AnswerForm>
  );
}

type QuestionProps = {
  message: MessageRecord;
  /** The one that is answered, if there is a choice. */
  chosen: Signal<MessageRecord> | undefined;
};

function Question({ message, chosen }: QuestionProps) {
  const { id, content, type, created_at, from_session } = message;
  const from = (
    <>
      <bdi>{from_session}</bdi> <Moment at={created_at} />
    </>
  );
  return (
    <>
      {chosen === undefined ? (
        from
      ) : (
        <label>
          <input
            type="radio"
            name="answer-to"
            aria-label={`${from_session} ${headline(content)}`}
            checked={chosen.value.id === id}
            onChange={() => (chosen.value = message)}
          />{' '}
          {from}
        </label>
      )}
      <blockquote class="quote">
        <AgentText text={content} label={words.value.messages.kind[type]} />
      </blockquote>
    </>
  );
}

type AnswerFormProps = {
  alias: string;
  draft: string;
  send(text: string): Promise<Toast>;
  hint: string | undefined;
  onClose(): void;
  onDone(): void;
  /** What is answered. */
  children: ComponentChildren;
};

function AnswerForm({ alias, draft, send, hint, onClose, onDone, children }: AnswerFormProps) {
  const { answer } = words.value;
  const text = keptOf(draft);
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onDone, async () => {
    missing.value = text.value.trim() === '' ? answer.need : undefined;
    if (missing.value !== undefined) return undefined;
    showToast(await send(text.value));
    text.value = '';
    return '';
  });
  return (
    <ActionDialog title={answer.title(alias)} form={form} submit={answer.submit} onClose={onClose}>
      {children}
      <Reach alias={alias} />
      <TextArea
        id="answer-text"
        label={answer.label}
        hint={hint}
        value={text}
        error={missing.value}
        rows={4}
        autoFocus
      />
    </ActionDialog>
  );
}

/** What will make the recipient see the answer. A separate component, so that the clock updates only this text. */
function Reach({ alias }: { alias: string }) {
  const agent = useComputed(() => agentsByAlias.value?.get(alias)).value;
  const isKnown = agent !== undefined || (agentsByAlias.value !== null && agentsBeyond.value === null);
  const context = { now: now.value, language: language.value, words: words.value };
  return <p class="answer-reach">{words.value.task.whyText.all(reachSentences(alias, agent, isKnown, context))}</p>;
}

/** What an agent that needs somebody wrote last. */
function LastOutput({ alias, network_id }: { alias: string; network_id: string | undefined }) {
  const output = useSignal('');
  const needsSomebody = useComputed(() => {
    const agent = agentsByAlias.value?.get(alias);
    return agent !== undefined && (isHalted(agent) || stuckSince(agent, '', now.value) !== undefined);
  }).value;
  useEffect(() => {
    if (!needsSomebody) return;
    showAgent(alias, { network_id }).then(
      ({ session }) => (output.value = endOf(session.output ?? '') || headline(session.task ?? '')),
      () => {},
    );
  }, [needsSomebody]);
  if (!needsSomebody || output.value === '') return null;
  return (
    <pre class="output answer-output" dir="auto" tabIndex={0} role="group" aria-label={words.value.agent.output}>
      {output.value}
    </pre>
  );
}

const SHOWN_LINES = 8;

/** The last lines, without the empty ones after them. */
function endOf(output: string): string {
  return withoutControls(output).trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}

/** Ends the task with a result. */
export function SettleDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { settle: text, taskStatus } = words.value;
  const result = keptOf(`settle.${task.task_id}`);
  const status = useSignal<Outcome>('replied');
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onDone, async () => {
    missing.value = result.value.trim() === '' ? text.need : undefined;
    if (missing.value !== undefined) return undefined;
    await sendReply(task.task_id, { ...networkAndActor(task), text: result.value, status: status.value });
    result.value = '';
    return text.done;
  });
  const options = OUTCOMES.map((value) => ({ value, label: taskStatus[value] }));
  return (
    <ActionDialog title={text.title} form={form} submit={text.submit} onClose={onClose}>
      <Subject task={task} />
      <p>{text.hint(task.from_name)}</p>
      <TextArea id="settle-text" label={text.label} value={result} error={missing.value} rows={4} autoFocus />
      <Choice
        name="settle-status"
        legend={text.outcome}
        options={options}
        chosen={status.value}
        onChoose={(value) => (status.value = value)}
      />
    </ActionDialog>
  );
}

/** Which task the dialog is about: a row or a page can show several. */
function Subject({ task }: { task: TaskRecord }) {
  return (
    <div class="quote">
      <bdi>{headline(task.content)}</bdi> <TaskRoute task={task} />
    </div>
  );
}

export function CancelDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { tasks: text } = words.value;
  const reason = useSignal('');
  const form = useAction(onDone, async () => {
    await cancelTask(task.task_id, { ...networkAndActor(task), reason: reason.value.trim() || undefined });
    return text.cancelled;
  });
  return (
    <ActionDialog
      title={text.cancel}
      form={form}
      submit={text.cancelConfirm}
      isDanger
      close={text.keepTask}
      onClose={onClose}
    >
      <Subject task={task} />
      <TextField id="cancel-reason" label={text.cancelReason} value={reason} autoComplete="off" autoFocus />
    </ActionDialog>
  );
}

/** Moves a live task to another agent, or retries a settled one there. */
export function ReassignDialog({ task, onClose, onDone = onClose }: TaskDialogProps) {
  const { task: text, send } = words.value;
  const alias = useSignal('');
  const isNew = isUnknown(alias.value.trim());
  const [title, submit] = isLive(task)
    ? [text.reassignTitle, isNew ? text.reassignNew : text.reassign]
    : [text.retryOnTitle, isNew ? text.retryNew : text.retryOnSubmit];
  const missing = useSignal<string | undefined>(undefined);
  const form = useAction(onDone, async () => {
    const new_alias = alias.value.trim();
    missing.value = new_alias === '' ? send.needAlias : undefined;
    if (missing.value !== undefined) return undefined;
    await handOver(task, new_alias);
    const done = isLive(task) ? text.reassigned(new_alias) : words.value.tasks.retried(new_alias);
    if (!isNew) return done;
    showToast({ text: text.whyText.all([done, text.whyText.unknown(new_alias)]), tone: 'warning' });
    return '';
  });
  return (
    <ActionDialog title={title} form={form} submit={submit} onClose={onClose}>
      <Subject task={task} />
      <AliasInput
        id="reassign-alias"
        label={text.reassignTo}
        value={alias}
        error={missing.value}
        except={task.to_name}
        autoFocus
      />
    </ActionDialog>
  );
}
