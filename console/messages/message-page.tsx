// The page of one message: its text, and links to its task and conversation.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { type MessageRecord, showMessage, showTask } from '../live/api.ts';
import { RequestError, withQuery } from '../live/request.ts';
import { isStale, mayWrite } from '../live/store.ts';
import { Moment } from '../parts/age.tsx';
import { Breadcrumb } from '../parts/breadcrumb.tsx';
import { Empty } from '../parts/empty.tsx';
import { excerpt, headline } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { messagePath, PATHS, taskPath } from '../routes.ts';
import { TaskRoute } from '../tasks/task-route.tsx';
import { MessageText } from './message-text.tsx';
import { isTaskId } from './quotes.ts';
import { ReadButton } from './read-button.tsx';
import { isReadOnSight, isUnread, useReading } from './read-mail.ts';

export default function MessagePage() {
  const message_id = useRoute().params['message_id'] ?? '';
  return <OneMessage key={`${account.value?.network_id} ${message_id}`} message_id={message_id} />;
}

function OneMessage({ message_id }: { message_id: string }) {
  const { pages } = words.value;
  const { message, answered, problem, load } = useMessage(message_id);
  const page = useRef<HTMLDivElement>(null);
  useReading(page, message !== null && isReadOnSight(message));
  useTitle(message === null ? pages.message : headline(message.content).slice(0, 60));
  if (problem === 'missing') return <NoMessage />;
  return (
    <div class="page" data-stale={isStale.value} ref={page}>
      {problem === 'failed' && <ListFailed onRetry={load} />}
      {message === null ? <SkeletonRows /> : <Message message={message} answered={answered} />}
    </div>
  );
}

type Answered = { href: string; name: string; text: string };

/** What a message answers: a task, or another message. */
async function findAnswered(id: string): Promise<Answered> {
  const query = { network_id: account.value?.network_id };
  if (isTaskId(id)) {
    const { task } = await showTask(id, query);
    return { href: taskPath(id), name: task.from_name, text: headline(task.content) };
  }
  const { message } = await showMessage(id, query);
  return { href: messagePath(id), name: message.from_session, text: excerpt(message.content) };
}

function useMessage(message_id: string) {
  const message = useSignal<MessageRecord | null>(null);
  const answered = useSignal<Answered | null>(null);
  const problem = useSignal<'missing' | 'failed' | null>(null);
  async function load(): Promise<void> {
    try {
      message.value = (await showMessage(message_id, { network_id: account.value?.network_id })).message;
      problem.value = null;
      const { in_reply_to } = message.value;
      if (in_reply_to !== undefined) answered.value = await findAnswered(in_reply_to).catch(() => null);
    } catch (error) {
      problem.value = error instanceof RequestError && error.status === 404 ? 'missing' : 'failed';
    }
  }
  useEffect(() => void load(), []);
  return { message: message.value, answered: answered.value, problem: problem.value, load };
}

type MessageProps = { message: MessageRecord; answered: Answered | null };

function Message({ message, answered }: MessageProps) {
  const { messages: text, pages } = words.value;
  const { id, type, content, context, alias, from_session, created_at } = message;
  return (
    <>
      <header class="task-head" data-unread={isReadOnSight(message) ? id : undefined}>
        <Breadcrumb list={pages.messages} href={PATHS.messages}>
          <span class="mono crumb-current">{id}</span>
        </Breadcrumb>
        <h1 class="task-title" dir="auto">
          {headline(content)}
        </h1>
        <p class="task-line">
          <span class="tag">{text.kind[type]}</span>
          <TaskRoute task={{ from_name: from_session, to_name: alias }} />
          <Moment at={created_at} />
        </p>
      </header>
      <Links message={message} />
      {message.in_reply_to !== undefined && (
        <p class="quote">
          {text.inReplyTo}{' '}
          {answered === null ? (
            text.earlierMessage
          ) : (
            <a class="link" href={answered.href}>
              <bdi>{answered.name}</bdi>: <bdi>{answered.text}</bdi>
            </a>
          )}
        </p>
      )}
      <MessageText title={text.kind[type]} text={content} />
      {context && <MessageText title={text.context} text={context} />}
    </>
  );
}

function Links({ message }: { message: MessageRecord }) {
  const { id, type, alias, from_session, task_id } = message;
  const { messages: text, find, answer } = words.value;
  const conversation = { of: alias, with: from_session };
  const isOwn = from_session === account.value?.user.username;
  return (
    <div class="actions">
      {mayWrite.value && !isOwn && type !== 'cancel' && (
        <a
          class="button button-primary"
          data-command
          href={withQuery(PATHS.messages, { ...conversation, kind: 'reply', reply_to: id })}
        >
          <Icon name="message" />
          {answer.act}
        </a>
      )}
      <ReadButton unread={isUnread(message) ? [message] : []} class="button" />
      {task_id !== undefined && (
        <a class="button" data-command href={taskPath(task_id)}>
          {text.openTask}
        </a>
      )}
      <a class="button" data-command href={withQuery(PATHS.messages, conversation)}>
        {find.conversation}
      </a>
    </div>
  );
}

function NoMessage() {
  const { find, pages } = words.value;
  return (
    <div class="page">
      <h1 class="visually-hidden">{pages.message}</h1>
      <Empty title={find.noMessage} text={find.noMessageText}>
        <a class="button" href={PATHS.messages}>
          {pages.messages}
        </a>
      </Empty>
    </div>
  );
}
