// The page of one message: its text, and links to its task and conversation.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { type MessageRecord, showMessage } from '../live/api.ts';
import { RequestError, withQuery } from '../live/request.ts';
import { isStale, mayWrite } from '../live/store.ts';
import { Moment } from '../parts/age.tsx';
import { Breadcrumb } from '../parts/breadcrumb.tsx';
import { Empty } from '../parts/empty.tsx';
import { headline } from '../parts/format.ts';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { messagePath, PATHS, taskPath } from '../routes.ts';
import { TaskRoute } from '../tasks/task-route.tsx';
import { MessageText } from './message-text.tsx';

export default function MessagePage() {
  const message_id = useRoute().params['message_id'] ?? '';
  return <OneMessage key={`${account.value?.network_id} ${message_id}`} message_id={message_id} />;
}

function OneMessage({ message_id }: { message_id: string }) {
  const { pages } = words.value;
  const { message, problem, load } = useMessage(message_id);
  useTitle(message === null ? pages.message : headline(message.content).slice(0, 60));
  if (problem === 'missing') return <NoMessage />;
  return (
    <div class="page" data-stale={isStale.value}>
      {problem === 'failed' && <ListFailed onRetry={load} />}
      {message === null ? <SkeletonRows /> : <Message message={message} />}
    </div>
  );
}

function useMessage(message_id: string) {
  const message = useSignal<MessageRecord | null>(null);
  const problem = useSignal<'missing' | 'failed' | null>(null);
  async function load(): Promise<void> {
    try {
      message.value = (await showMessage(message_id, { network_id: account.value?.network_id })).message;
      problem.value = null;
    } catch (error) {
      problem.value = error instanceof RequestError && error.status === 404 ? 'missing' : 'failed';
    }
  }
  useEffect(() => void load(), []);
  return { message: message.value, problem: problem.value, load };
}

function Message({ message }: { message: MessageRecord }) {
  const { messages: text, pages } = words.value;
  const { id, type, content, context, alias, from_session, created_at } = message;
  return (
    <>
      <header class="task-head">
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
      <MessageText title={text.kind[type]} text={content} />
      {context && <MessageText title={text.context} text={context} />}
    </>
  );
}

function Links({ message: { id, type, alias, from_session, task_id, in_reply_to } }: { message: MessageRecord }) {
  const { messages: text, find, answer } = words.value;
  const conversation = { of: alias, with: from_session };
  const isOwn = from_session === account.value?.user.username;
  const isOfTask = in_reply_to === undefined || in_reply_to === task_id;
  return (
    <p class="task-line">
      <a class="link" href={withQuery(PATHS.messages, conversation)}>
        {find.conversation}
      </a>
      {mayWrite.value && !isOwn && type !== 'cancel' && (
        <a class="link" href={withQuery(PATHS.messages, { ...conversation, kind: 'reply', reply_to: id })}>
          {answer.act}
        </a>
      )}
      {task_id !== undefined && (
        <a class="link" href={taskPath(task_id)}>
          {text.openTask}
        </a>
      )}
      {!isOfTask && (
        <a class="link" href={messagePath(in_reply_to)}>
          {text.inReplyTo} {text.earlierMessage}
        </a>
      )}
    </p>
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
