// The dialogs to answer an agent, or one of its messages. The task of the agent continues.
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TaskRecord } from '../../../server/domain/task.ts';
import { isLive } from '../../../server/domain/task-status.ts';
import { withoutControls } from '../../../server/domain/text/controls.ts';
import { account } from '../../account/account.ts';
import { stuckSince } from '../../agents/roster.ts';
import { showToast, type Toast } from '../../frame/toast.ts';
import { language, words } from '../../i18n/language.ts';
import { type MessageRecord, showAgent } from '../../live/api.ts';
import { now } from '../../live/clock.ts';
import { keptOf } from '../../live/kept.ts';
import { agentsBeyond, agentsByAlias } from '../../live/store.ts';
import { taskKnown } from '../../live/task-pool.ts';
import { markRead, readHere } from '../../messages/read-mail.ts';
import { answerAgent, answerMessage } from '../../messages/send.ts';
import { haltedStatus } from '../../needs-you/agent-needs.ts';
import { isAskedIn } from '../../needs-you/mail-needs.ts';
import type { MailNeed } from '../../needs-you/need.ts';
import { ActionDialog, useAction } from '../../parts/action-dialog.tsx';
import { Moment } from '../../parts/age.tsx';
import { TextArea } from '../../parts/field.tsx';
import { headline } from '../../parts/format.ts';
import { Notice } from '../../parts/notice.tsx';
import { AgentText } from '../../text/agent-text.tsx';
import { reachSentences } from '../reach.ts';
import { TaskLink } from '../task-route.tsx';

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
      send={(text) => answerAgent(alias, task, text)}
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
      {agent !== undefined && !messages.some((message) => isAskedIn(agent, message)) && (
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

/**
 * What an agent that needed somebody has said since the dialog was opened, which does not show it. `holds` is true once
 * for each: the person may not have seen it when they pressed the button.
 */
function useMoved(alias: string): { to: string | undefined; holds(): boolean } {
  const agent = useComputed(() => agentsByAlias.value?.get(alias)).value;
  const output = agent?.last_output ?? '';
  const said = agent && `${agent.last_status ?? agent.status} ${output}`;
  const [opened] = useState(agent !== undefined && haltedStatus(agent, now.peek()) !== undefined ? said : undefined);
  const [outputThen] = useState(output);
  const held = useRef(opened);
  const hasMoved = opened !== undefined && said !== opened;
  return {
    to: hasMoved ? headline(output === outputThen ? '' : output) : undefined,
    holds: () => {
      const isNew = hasMoved && said !== held.current;
      held.current = said;
      return isNew;
    },
  };
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
    return (
      agent !== undefined &&
      (haltedStatus(agent, now.value) !== undefined || stuckSince(agent, '', now.value) !== undefined)
    );
  }).value;
  useEffect(() => {
    // What was opened stays, whatever the agent says meanwhile.
    if (!needsSomebody || output.value !== '') return;
    showAgent(alias, { network_id }).then(
      ({ session }) => (output.value = withoutControls(session.output ?? '').trimEnd() || headline(session.task ?? '')),
      () => {},
    );
  }, [needsSomebody]);
  const end = useRef<HTMLPreElement>(null);
  // What it asks is in the last lines.
  useEffect(() => end.current?.scrollTo({ top: end.current.scrollHeight }), [output.value]);
  if (output.value === '') return null;
  return (
    <pre
      ref={end}
      class="output answer-output"
      dir="auto"
      tabIndex={0}
      role="group"
      aria-label={words.value.agent.output}
    >
      {output.value}
    </pre>
  );
}
