// The lists of an agent: active and finished tasks, and inbox.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { withQuery } from '../live/request.ts';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { messagePath, PATHS, taskPath, tasksPath } from '../routes.ts';
import type { TaskList } from '../tasks/list/task-list.ts';

type SectionProps = { title: string; n?: number | undefined; more?: ComponentChildren; children: ComponentChildren };

export function Section({ title, n, more, children }: SectionProps) {
  return (
    <section class="panel" aria-label={title}>
      <header class="panel-head">
        <h2>{title}</h2>
        {n !== undefined && n > 0 && <span class="panel-total">{n}</span>}
        <span class="spacer" />
        {more}
      </header>
      {children}
    </section>
  );
}

type LiveTasksProps = { running: TaskList; waiting: TaskList };

export function LiveTasks({ running, waiting }: LiveTasksProps) {
  const { agent: text } = words.value;
  const live = running.rows.value && waiting.rows.value && [...running.rows.value, ...waiting.rows.value];
  return (
    <Section title={text.active} n={live?.length}>
      <ShortTasks tasks={live} empty={text.activeEmpty} />
    </Section>
  );
}

const PAST = 12;

export function PastTasks({ alias, all }: { alias: string; all: TaskList }) {
  const { agent: text } = words.value;
  const past = all.rows.value?.filter((task) => !isLive(task)).slice(0, PAST) ?? null;
  return (
    <Section title={text.finished} more={<PastLinks alias={alias} />}>
      <ShortTasks tasks={past} empty={text.finishedEmpty} />
    </Section>
  );
}

function PastLinks({ alias }: { alias: string }) {
  const { agent: text } = words.value;
  return (
    <span class="panel-links">
      <a class="link" href={tasksPath({ from: alias })}>
        {text.sentTasks}
      </a>
      <a class="link" href={tasksPath({ to: alias })}>
        {text.receivedTasks}
      </a>
    </span>
  );
}

/** `withRoute` adds the agent. Lists that use it contain a single state, so the state is omitted. */
export function ShortTasks({
  tasks,
  empty,
  withRoute = false,
}: {
  tasks: readonly TaskRecord[] | null;
  empty: string;
  withRoute?: boolean;
}) {
  if (tasks === null) return <SkeletonRows rows={1} />;
  if (tasks.length === 0) return <p class="list-empty">{empty}</p>;
  return (
    <ul class="short-list" data-of-one-state={withRoute}>
      {tasks.map((task) => (
        <li key={task.task_id} class="short-row" data-status={task.status}>
          <TaskState status={task.status} />
          <a class="row-link" href={taskPath(task.task_id)} dir="auto">
            {headline(task.content)}
          </a>
          {withRoute ? <bdi class="short-side">{task.to_name}</bdi> : <TaskPriority priority={task.priority} />}
          <Age of={task.completed_at ?? task.created_at} />
        </li>
      ))}
    </ul>
  );
}

type InboxProps = { alias: string; waiting: readonly MessageRecord[] | null; pending: number };

/** A long inbox must not push the lists below it off the page. */
const FIRST_MESSAGES = 8;

export function AgentInbox({ alias, waiting, pending }: InboxProps) {
  const { agent: text } = words.value;
  const isExpanded = useSignal(false);
  return (
    <Section
      title={text.inbox}
      n={pending}
      more={
        <a class="link" href={withQuery(PATHS.messages, { of: alias })}>
          {text.conversation}
        </a>
      }
    >
      {waiting === null && <SkeletonRows rows={1} />}
      {waiting?.length === 0 && <p class="list-empty">{text.inboxEmpty}</p>}
      <ul class="short-list">
        {waiting?.slice(0, isExpanded.value ? undefined : FIRST_MESSAGES).map((message) => (
          <Message key={message.id} message={message} />
        ))}
      </ul>
      {waiting !== null && waiting.length > FIRST_MESSAGES && !isExpanded.value && (
        <button type="button" class="button panel-more" onClick={() => (isExpanded.value = true)}>
          {words.value.needsYou.showAll(waiting.length)}
        </button>
      )}
    </Section>
  );
}

function Message({ message }: { message: MessageRecord }) {
  return (
    <li class="short-row">
      <span class="short-type">{words.value.messages.kind[message.type]}</span>
      <a
        class="row-link"
        href={message.task_id === undefined ? messagePath(message.id) : taskPath(message.task_id)}
        dir="auto"
      >
        {headline(message.content)}
      </a>
      <bdi class="short-side">{message.from_session}</bdi>
      <Age of={message.created_at} />
    </li>
  );
}
