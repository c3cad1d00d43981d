// The rows of the search page: what was found, with its state and with the words marked.
import type { ComponentChildren } from 'preact';
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import type { Agent } from '../live/api.ts';
import type { ChatEntry } from '../messages/merge.ts';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { AgentStatus, TaskState } from '../parts/status.tsx';
import { agentPath, messagePath, taskPath } from '../routes.ts';
import { TaskRoute } from '../tasks/task-route.tsx';
import type { NamedById } from './found-id.ts';
import { contains, Marked, partAround } from './highlight.tsx';
import { useTaskNow } from './searches.ts';

type RowProps = {
  sign: ComponentChildren;
  path: string;
  title: string;
  /** The part of a longer text that was found. */
  part?: string | undefined;
  wanted: string;
  status?: string;
  children?: ComponentChildren;
};

function Row({ sign, path, title, part, wanted, status, children }: RowProps) {
  return (
    <li class="short-row found-row" data-status={status}>
      {sign}
      <a class="row-link" href={path} dir="auto">
        <Marked text={title} wanted={wanted} />
      </a>
      {children}
      {part !== undefined && (
        <p class="found-part" dir="auto">
          <Marked text={part} wanted={wanted} />
        </p>
      )}
    </li>
  );
}

export function FoundTask({ task, wanted }: { task: TaskRecord; wanted: string }) {
  const { status, task_id, content, result } = useTaskNow(task);
  const title = headline(content);
  const part = contains(title, wanted) ? undefined : partAround(`${content}\n${result ?? ''}`, wanted);
  return (
    <Row sign={<TaskState status={status} />} path={taskPath(task_id)} title={title} part={part} wanted={wanted}>
      <TaskRoute task={task} />
      <Age of={task.created_at} />
    </Row>
  );
}

export function FoundMessage({ entry: { message, copies }, wanted }: { entry: ChatEntry; wanted: string }) {
  const { messages: text } = words.value;
  const { id, type, content, from_session, alias, created_at } = message;
  const to = copies.length === 1 ? alias : text.agents(copies.length);
  return (
    <Row
      sign={<span class="short-type">{text.kind[type]}</span>}
      path={messagePath(id)}
      title={partAround(content, wanted) ?? headline(content)}
      wanted={wanted}
    >
      <TaskRoute task={{ from_name: from_session, to_name: to }} />
      <Age of={created_at} />
    </Row>
  );
}

export function FoundAgent({ agent, wanted }: { agent: Agent; wanted: string }) {
  const { alias, status, task, model, hostname } = agent;
  const parts = [task, model, hostname].map((each) => partAround(each ?? '', wanted));
  return (
    <Row
      sign={<AgentStatus status={status} />}
      path={agentPath(alias)}
      title={alias}
      part={contains(alias, wanted) ? undefined : parts.find(Boolean)}
      wanted={wanted}
      status={status}
    />
  );
}

export function NamedRow({ named: { kind, id, path, title, status } }: { named: NamedById }) {
  const { find, pages } = words.value;
  const sign = status === undefined ? <span class="short-type">{pages[kind]}</span> : <TaskState status={status} />;
  return <Row sign={sign} path={path} title={title ?? find.open(pages[kind], id)} wanted={id} />;
}
