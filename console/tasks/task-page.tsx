// The task page: why it is in its state and what to do, its texts, and its timeline.
import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useRoute } from 'preact-iso/router';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { withoutControls } from '../../server/domain/text/controls.ts';
import { Progress } from '../agents/progress.tsx';
import { GanttView } from '../fleet/gantt-view.tsx';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { agentsByAlias, isStale } from '../live/store.ts';
import { MessageText } from '../messages/message-text.tsx';
import { LOOK_MS, markRead } from '../messages/read-mail.ts';
import { unreadResultsOf } from '../needs-you/unread-mail.ts';
import { Age, Moment } from '../parts/age.tsx';
import { Breadcrumb } from '../parts/breadcrumb.tsx';
import { Empty } from '../parts/empty.tsx';
import { headline } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { agentPath, PATHS } from '../routes.ts';
import { Artifacts } from '../text/artifacts.tsx';
import { useLaterTask } from './later-task.ts';
import { Outcome } from './task-attempts.tsx';
import { type TaskDetail, useTaskDetail } from './task-detail.ts';
import { TaskTimeline } from './task-timeline.tsx';
import { TaskWhy } from './task-why.tsx';
import { attemptsOf, talkOf } from './timeline.ts';

export default function TaskPage() {
  const task_id = useRoute().params['task_id'] ?? '';
  return <OneTask key={task_id} task_id={task_id} />;
}

function OneTask({ task_id }: { task_id: string }) {
  const detail = useTaskDetail(task_id);
  const task = detail.task.value;
  useReadResults(task);
  useTitle(task === null ? words.value.pages.task : headline(task.content).slice(0, 60));
  if (detail.problem.value === 'missing') return <NoTask />;
  return (
    <div class="page" data-stale={isStale.value}>
      {detail.problem.value === 'failed' && <ListFailed onRetry={detail.load} />}
      {task === null ? (
        <SkeletonRows />
      ) : (
        <>
          <Head task={task} />
          <TaskWhy task={task} facts={detail.why.value} talk={detail.talk.value} />
          <Body task={task} detail={detail} />
        </>
      )}
    </div>
  );
}

/** The page of a settled task shows its result, so the message that reports it has been read. */
function useReadResults(task: TaskRecord | null): void {
  const unread = task === null || isLive(task) ? [] : unreadResultsOf(task.task_id);
  const ids = unread.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (ids === '') return undefined;
    const timer = setInterval(() => {
      if (document.hidden) return;
      clearInterval(timer);
      void markRead(ids.split(' ')).catch(() => {});
    }, LOOK_MS);
    return () => clearInterval(timer);
  }, [ids]);
}

/** Once the task is settled, the result comes first. */
function Body({ task, detail }: { task: TaskRecord; detail: TaskDetail }) {
  const { tasks: text } = words.value;
  const attempts = attemptsOf({ task, events: detail.events.value, moments: detail.moments.value });
  const outcome = (
    <>
      <Outcome task={task} attempts={attempts} replies={detail.replies.value} />
      <Artifacts artifacts={detail.artifacts.value} />
    </>
  );
  return (
    <div class="task-page">
      <div class="task-texts">
        {!isLive(task) && outcome}
        <MessageText title={text.content} text={task.content} />
        {task.context && <MessageText title={text.context} text={task.context} />}
        {isLive(task) && outcome}
        <GanttView task={task} />
      </div>
      <div class="task-side">
        <TaskTimeline attempts={attempts} talk={talkOf(task.to_name, detail.talk.value)} />
        {task.status === 'running' && <Latest task={task} />}
        <Facts task={task} />
      </div>
    </div>
  );
}

function NoTask() {
  const { task, pages } = words.value;
  return (
    <div class="page">
      <h1 class="visually-hidden">{pages.task}</h1>
      <Empty title={task.missingTitle} text={task.missingText}>
        <a class="button" href={PATHS.tasks}>
          {pages.tasks}
        </a>
      </Empty>
    </div>
  );
}

function Head({ task }: { task: TaskRecord }) {
  return (
    <header class="task-head">
      <Breadcrumb list={words.value.pages.tasks} href={PATHS.tasks}>
        <span class="mono crumb-current">{task.task_id}</span>
      </Breadcrumb>
      <h1 class="task-title" dir="auto">
        {headline(task.content)}
      </h1>
      <p class="task-line">
        <TaskState status={task.status} />
        <TaskPriority priority={task.priority} />
        <span class="route">
          <AgentName name={task.from_name} />
          <Icon name="arrow" />
          <span class="visually-hidden">{words.value.tasks.to}</span>
          <AgentName name={task.to_name} isAgent={true} />
        </span>
        <Age of={task.created_at} />
      </p>
    </header>
  );
}

/** What the agent of a running task reported last, unless that is about another task. */
function Latest({ task }: { task: TaskRecord }) {
  const alias = task.to_name;
  const isOther = useLaterTask(task) !== undefined;
  const { agent: text } = words.value;
  const agent = useComputed(() => agentsByAlias.value?.get(alias)).value;
  if (isOther || agent === undefined || (!agent.last_output && agent.progress === null)) return null;
  return (
    <section class="side-card" aria-label={text.output}>
      <h2>{text.output}</h2>
      {agent.progress !== null && <Progress percent={agent.progress} label={alias} />}
      {agent.last_output && (
        <p class="step-detail" dir="auto">
          {withoutControls(agent.last_output)}
        </p>
      )}
    </section>
  );
}

/** A sender can be a person, who has no page. */
function AgentName({ name, isAgent = agentsByAlias.value?.has(name) }: { name: string; isAgent?: boolean }) {
  if (!isAgent) return <bdi class="route-name">{name}</bdi>;
  return (
    <a class="link route-name" href={agentPath(name)} dir="auto">
      {name}
    </a>
  );
}

function Facts({ task }: { task: TaskRecord }) {
  const { tasks: text, task: own } = words.value;
  return (
    <section class="side-card" aria-label={text.details}>
      <h2>{text.details}</h2>
      <dl class="facts">
        <div class="fact">
          <dt>{own.from}</dt>
          <dd dir="auto">{task.from_name}</dd>
        </div>
        <div class="fact">
          <dt>{own.to}</dt>
          <dd dir="auto">{task.to_name}</dd>
        </div>
        <div class="fact">
          <dt>{text.sent}</dt>
          <dd>
            <Moment at={task.created_at} />
          </dd>
        </div>
        {isLive(task) && (
          <div class="fact">
            <dt>{own.expires}</dt>
            <dd>
              <Moment at={task.expires_at} />
            </dd>
          </div>
        )}
        <div class="fact">
          <dt>{text.attempt}</dt>
          <dd>{task.attempt}</dd>
        </div>
        <div class="fact">
          <dt>{text.id}</dt>
          <dd class="mono">{task.task_id}</dd>
        </div>
      </dl>
    </section>
  );
}
