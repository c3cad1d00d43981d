// One message: sender, recipients, kind and its text.
import { account } from '../account/account.ts';
import { useAddress } from '../frame/address.ts';
import { words } from '../i18n/language.ts';
import { mayWrite } from '../live/store.ts';
import { taskKnown } from '../live/task-pool.ts';
import { HUB_ALIAS } from '../needs-you/need.ts';
import { Age } from '../parts/age.tsx';
import { excerpt, headline } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { taskPath } from '../routes.ts';
import { AgentText } from '../text/agent-text.tsx';
import type { ChatEntry } from './merge.ts';
import type { Quote } from './quotes.ts';
import { ReadButton } from './read-button.tsx';
import { isOwnMail, isUnread } from './read-mail.ts';

export function MessageItem({ entry: { message, copies }, quote }: { entry: ChatEntry; quote: Quote | undefined }) {
  const { messages: text } = words.value;
  const { query } = useAddress();
  const unread = copies.filter(isUnread);
  // Reading mail to hub removes it for everybody, so only its conversation does that.
  const showsHub = [query['of'], query['with']].includes(HUB_ALIAS);
  const readHere = unread.filter(({ alias }) => showsHub || alias !== HUB_ALIAS).map(({ id }) => id);
  const isOwn = message.from_session === account.value?.user.username;
  return (
    <li
      class="message"
      id={rowId(message.id)}
      data-own={isOwn}
      data-type={message.type}
      data-unread={readHere.length > 0 ? readHere.join(' ') : undefined}
    >
      <header class="message-head">
        {unread.length > 0 && <span class="dot unread-dot" title={text.unread} />}
        <Name name={message.from_session} />
        <Icon name="arrow" />
        <span class="visually-hidden">{text.to}</span>
        <Recipients copies={copies} />
        <span class="tag" data-tone={toneOf(message)}>
          {kindOf(message)}
        </span>
        {message.priority !== 'normal' && <TaskPriority priority={message.priority} />}
        <Age of={message.created_at} />
      </header>
      {quote !== undefined && <Quoted quote={quote} />}
      <div class="message-text">
        <AgentText text={message.content} label={text.kind[message.type]} isInList />
      </div>
      {message.context !== null && message.context !== '' && (
        <details class="message-context">
          <summary>{text.context}</summary>
          <AgentText text={message.context} label={text.context} isInList />
        </details>
      )}
      <Foot message={message} isOwn={isOwn} isOne={copies.length === 1} unread={unread} />
    </li>
  );
}

type Message = ChatEntry['message'];

const rowId = (id: string) => `message-${id}`;

function Recipients({ copies }: Pick<ChatEntry, 'copies'>) {
  const [only, ...others] = copies;
  if (only !== undefined && others.length === 0) return <Name name={only.alias} />;
  const names = copies.map(({ alias }) => alias);
  return <span title={names.join(', ')}>{words.value.messages.agents(names.length)}</span>;
}

/** Leads to the quoted message in the log, or to the task. */
function Quoted({ quote }: { quote: Quote }) {
  const { messages: text, pages } = words.value;
  const label = <span class="visually-hidden">{text.inReplyTo} </span>;
  if (quote.kind === 'unknown')
    return (
      <p class="message-quote">
        {text.inReplyTo} {text.earlierMessage}
      </p>
    );
  if (quote.kind === 'message')
    return (
      <a
        class="message-quote"
        href={`#${rowId(quote.entry_id)}`}
        onClick={(event) => {
          event.preventDefault();
          showRow(rowId(quote.entry_id));
        }}
      >
        {label}
        <bdi>{quote.message.from_session}</bdi>: <bdi>{excerpt(quote.message.content)}</bdi>
      </a>
    );
  return (
    <a class="message-quote" href={taskPath(quote.task_id)}>
      {label}
      {quote.from !== undefined && <bdi>{quote.from}: </bdi>}
      {quote.content === undefined ? `${pages.task} ${quote.task_id}` : <bdi>{headline(quote.content)}</bdi>}
    </a>
  );
}

/** Scrolls only the log, where following the link would scroll the whole page too, and moves the focus to the row. */
function showRow(id: string): void {
  const row = document.getElementById(id);
  const log = row?.closest('.log');
  if (row === null || log == null) return;
  const above = row.getBoundingClientRect().top - log.getBoundingClientRect().top;
  log.scrollTop += above - Math.max(0, (log.clientHeight - row.offsetHeight) / 2);
  row.tabIndex = -1;
  row.focus({ preventScroll: true });
  row.addEventListener('blur', () => row.removeAttribute('tabindex'), { once: true });
}

export function kindOf({ type, status }: Message): string {
  const { messages: text, taskStatus } = words.value;
  return type === 'reply' && status !== undefined && status !== 'replied' ? taskStatus[status] : text.kind[type];
}

function toneOf({ type, status }: Message): string | undefined {
  if (type === 'task') return 'accent';
  if (type === 'reply')
    return status === undefined || status === 'replied' ? 'good' : status === 'failed' ? 'bad' : 'warning';
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

type FootProps = { message: Message; isOwn: boolean; isOne: boolean; unread: readonly Message[] };

function Foot({ message, isOwn, isOne, unread }: FootProps) {
  const { messages: text } = words.value;
  const { pathWith } = useAddress();
  const mayAnswer = mayWrite.value && !isOwn && message.type !== 'cancel';
  return (
    <footer class="message-foot">
      <MessageState message={message} isOne={isOne} />
      {message.task_id !== undefined && (
        <a class="link" href={taskPath(message.task_id)}>
          {text.openTask}
        </a>
      )}
      {mayAnswer && (
        <a
          class="link"
          href={pathWith({ kind: 'reply', reply_to: message.id })}
          aria-label={text.answerTo(message.from_session)}
        >
          {words.value.answer.act}
        </a>
      )}
      <ReadButton unread={unread} class="link" />
    </footer>
  );
}

/** The task status replaces the inbox state, because it says more and a finished task has left the inbox. */
function MessageState({ message, isOne }: { message: Message; isOne: boolean }) {
  const { messages: text } = words.value;
  const { type, task_id, acked_at } = message;
  if (isOwnMail(message)) return <span>{isUnread(message) ? text.unread : text.read}</span>;
  const status = type === 'task' ? taskKnown(task_id ?? '')?.status : undefined;
  if (status !== undefined) return <TaskState status={status} />;
  if (!isOne || (type === 'task' && acked_at === null)) return null;
  return <span>{acked_at === null ? text.inInbox : text.acknowledged}</span>;
}
