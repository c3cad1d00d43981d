// The dialogs to answer an agent, or one of its messages. The task of the agent continues.
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { isLive } from '../../../server/domain/task-status.ts';
import { account } from '../../account/account.ts';
import { showToast, type Toast } from '../../frame/toast.ts';
import { words } from '../../i18n/language.ts';
import type { MessageRecord } from '../../live/api.ts';
import { now } from '../../live/clock.ts';
import { keptOf } from '../../live/kept.ts';
import { agentsByAlias } from '../../live/store.ts';
import { taskKnown } from '../../live/task-pool.ts';
import { markRead, readHere } from '../../messages/read-mail.ts';
import { answerAgent, answerMessage } from '../../messages/send.ts';
import { hasQuestionMark, repeatsOutput } from '../../needs-you/mail-needs.ts';
import type { MailNeed } from '../../needs-you/need.ts';
import { ActionDialog, useAction } from '../../parts/action-dialog.tsx';
import { Moment } from '../../parts/age.tsx';
import { TextArea } from '../../parts/field.tsx';
import { headline } from '../../parts/format.ts';
import { Notice } from '../../parts/notice.tsx';
import { AgentText } from '../../text/agent-text.tsx';
import { TaskLink } from '../task-route.tsx';
import { askedBy, LastOutput, Reach, useMoved } from './answered-agent.tsx';

type AnswerDialogProps = {
  alias: string;
  /** The running task of the agent. It continues. */
  task: TaskRecord | undefined;
  /** What the agent has asked: the answer is to one of them. */
  questions?: readonly MessageRecord[];
  /** The agent has asked nothing. */
  isMessage?: boolean;
  onClose(): void;
  /** With the message that was answered, if there was one. */
  onDone?: (answered?: MessageRecord) => void;
};

/** Sends a message to an agent, about its task if it has one. */
export function AnswerDialog(props: AnswerDialogProps) {
  const { alias, task, questions = [], isMessage = false, onClose, onDone = onClose } = props;
  // Questions that arrive or are answered meanwhile do not change what is written about.
  const [messages] = useState(questions);
  const [asked] = useState(() => askedBy(alias));
  const answered = useRef<MessageRecord | undefined>(undefined);
  const done = () => onDone(answered.current);
  const hasEnded = useComputed(
    () => now.value > 0 && task !== undefined && !isLive(taskKnown(task.task_id) ?? task),
  ).value;
  const { taskHint, taskEnded } = words.value.answer;
  const shown = messages.at(-1);
  if (shown !== undefined)
    return (
      <AnswerMessagesDialog
        need={{ messages, shown }}
        onAnswered={(message) => (answered.current = message)}
        onClose={onClose}
        onDone={done}
      />
    );
  return (
    <AnswerForm
      alias={alias}
      draft={`answer.${task?.task_id ?? alias}`}
      send={(text) => answerAgent(alias, task, quoting(isMessage ? '' : asked || askedBy(alias), text))}
      hint={task && (hasEnded ? taskEnded : taskHint)}
      isMessage={isMessage}
      onClose={onClose}
      onDone={done}
    >
      {task !== undefined && <TaskLink task={task} />}
      <LastOutput alias={alias} network_id={task?.network_id ?? account.value?.network_id} />
    </AnswerForm>
  );
}

/** A reply refers to the message that it answers. What an agent asks by its status has no ID, so it is quoted. */
function quoting(asked: string, text: string): string {
  return asked === '' ? text : `> ${asked}\n\n${text}`;
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
  const agent = useComputed(() => agentsByAlias.value?.get(shown.from_session)).value;
  const questions = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    questions.current?.querySelector(':checked')?.scrollIntoView({ block: 'nearest' });
    // A long message usually asks at its end.
    if (messages.length === 1 && !hasQuestionMark(headline(shown.content)))
      questions.current?.scrollTo({ top: questions.current.scrollHeight });
  }, []);
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
      {agent !== undefined && !messages.some((message) => repeatsOutput(agent, message)) && (
        <LastOutput alias={shown.from_session} network_id={shown.network_id} />
      )}
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
  isMessage?: boolean;
  onClose(): void;
  onDone(): void;
  /** What is answered. */
  children: ComponentChildren;
};

function AnswerForm({ alias, draft, send, hint, isMessage = false, onClose, onDone, children }: AnswerFormProps) {
  const { answer } = words.value;
  const form = isMessage ? answer.message : answer;
  const text = keptOf(draft);
  const missing = useSignal<string | undefined>(undefined);
  const moved = useMoved(alias);
  const action = useAction(onDone, async () => {
    missing.value = text.value.trim() === '' ? form.need : undefined;
    if (missing.value !== undefined || moved.holds()) return undefined;
    showToast(await send(text.value));
    text.value = '';
    return '';
  });
  return (
    <ActionDialog title={form.title(alias)} form={action} submit={form.submit} onClose={onClose}>
      {children}
      {moved.to !== undefined && <Notice tone="warning">{answer.moved(alias, moved.to)}</Notice>}
      <Reach alias={alias} />
      <TextArea id="answer-text" label={form.label} hint={hint} value={text} error={missing.value} rows={4} autoFocus />
    </ActionDialog>
  );
}
