// One message: sender, recipients, kind and its text as plain text.
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { mayWrite } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { Age } from '../parts/age.tsx';
import { Icon } from '../parts/icon.tsx';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { taskPath } from '../routes.ts';
import type { ChatEntry } from './merge.ts';
import { PlainOrCode } from './message-text.tsx';

const LONG = 600;

export function MessageItem({ entry: { message, to } }: { entry: ChatEntry }) {
  const { messages: text } = words.value;
  const isOwn = message.from_session === account.value?.user.username;
  return (
    <li class="message" data-own={isOwn} data-type={message.type}>
      <header class="message-head">
        <Name name={message.from_session} />
        <Icon name="arrow" />
        <span class="visually-hidden">{text.to}</span>
        {to.length === 1 ? <Name name={message.alias} /> : <span title={to.join(', ')}>{text.agents(to.length)}</span>}
        <span class="tag" data-tone={toneOf(message)}>
          {kindOf(message)}
        </span>
        {message.priority !== 'normal' && <TaskPriority priority={message.priority} />}
        <Age of={message.created_at} />
      </header>
      <div class="message-text" data-long={message.content.length > LONG}>
        <PlainOrCode text={message.content} label={text.kind[message.type]} />
      </div>
      {message.context !== null && message.context !== '' && (
        <details class="message-context">
          <summary>{text.context}</summary>
          <PlainOrCode text={message.context} label={text.context} />
        </details>
      )}
      <Foot message={message} isOwn={isOwn} isOne={to.length === 1} />
    </li>
  );
}

type Message = ChatEntry['message'];

function kindOf({ type, status }: Message): string {
  const { messages: text, taskStatus } = words.value;
  return type === 'reply' && status !== undefined && status !== 'replied' ? taskStatus[status] : text.kind[type];
}

function toneOf({ type, status }: Message): string | undefined {
  if (type === 'task') return 'accent';
  if (type === 'reply') return status === undefined || status === 'replied' ? 'good' : 'warning';
  return type === 'cancel' ? 'warning' : undefined;
}

/** A name that links to its conversation. */
function Name({ name }: { name: string }) {
  const { pathWith } = useAddress();
  return (
    <a class="message-name" href={pathWith({ of: name, with: undefined, reply_to: undefined })} dir="auto">
      {name}
    </a>
  );
}

function Foot({ message, isOwn, isOne }: { message: Message; isOwn: boolean; isOne: boolean }) {
  const { messages: text } = words.value;
  const { pathWith } = useAddress();
  const mayReply = mayWrite.value && !isOwn && message.type !== 'cancel';
  return (
    <footer class="message-foot">
      <MessageState message={message} isOne={isOne} />
      {message.task_id !== undefined && (
        <a class="link" href={taskPath(message.task_id)}>
          {text.openTask}
        </a>
      )}
      {mayReply && (
        <a
          class="link"
          href={pathWith({ kind: 'reply', reply_to: message.id })}
          aria-label={text.replyTo(message.from_session)}
        >
          {text.reply}
        </a>
      )}
    </footer>
  );
}

/** The task status replaces the inbox state, because it says more and a finished task has left the inbox. */
function MessageState({ message: { type, task_id, acked_at }, isOne }: { message: Message; isOne: boolean }) {
  const { messages: text } = words.value;
  const status = type === 'task' ? taskKnown(task_id ?? '')?.status : undefined;
  if (status !== undefined) return <TaskState status={status} />;
  if (!isOne || (type === 'task' && acked_at === null)) return null;
  return <span>{acked_at === null ? text.inInbox : text.acknowledged}</span>;
}
