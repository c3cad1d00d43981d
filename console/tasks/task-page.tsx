// The task page: content, result, progress, reason for its status, and the available actions.
import { useRoute } from 'preact-iso/router';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { isStale, mayWrite } from '../live/store.ts';
import { emptyResult, MessageText, NoMessageText } from '../messages/message-text.tsx';
import { Age, Moment } from '../parts/age.tsx';
import { Breadcrumb } from '../parts/breadcrumb.tsx';
import { Empty } from '../parts/empty.tsx';
import { headline } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { ListFailed } from '../parts/load-failed.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskPriority, TaskState } from '../parts/status.tsx';
import { agentPath, PATHS } from '../routes.ts';
import { TaskActions } from './task-actions.tsx';
import { useTaskDetail } from './task-detail.ts';
import { TaskEvents } from './task-events.tsx';
import { type FormerResult, formerResults } from './task-history.ts';
import { TaskSteps } from './task-steps.tsx';
import { Why } from './why-sentence.tsx';

export default function TaskPage() {
  const task_id = useRoute().params['task_id'] ?? '';
  return <OneTask key={task_id} task_id={task_id} />;
}

function OneTask({ task_id }: { task_id: string }) {
  const detail = useTaskDetail(task_id);
  const task = detail.task.value;
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
          <div class="task-page">
            <div class="task-texts">
              {detail.why.value !== null && <Why task={task} facts={detail.why.value} />}
              <MessageText title={words.value.tasks.content} text={task.content} />
              {task.context !== undefined && task.context !== '' && (
                <MessageText title={words.value.tasks.context} text={task.context} />
              )}
              <Result task={task} />
              <FormerResults results={formerResults(detail.events.value ?? [], detail.replies.value)} />
            </div>
            <div class="task-side">
              <TaskSteps task={task} />
              <Facts task={task} />
              <TaskEvents events={detail.events.value} />
            </div>
          </div>
        </>
      )}
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
          <span class="route-name" dir="auto">
            {task.from_name}
          </span>
          <Icon name="arrow" />
          <span class="visually-hidden">{words.value.tasks.to}</span>
          <a class="link route-name" href={agentPath(task.to_name)} dir="auto">
            {task.to_name}
          </a>
        </span>
        <Age of={task.created_at} />
      </p>
      {mayWrite.value && <TaskActions task={task} />}
    </header>
  );
}

function Result({ task }: { task: TaskRecord }) {
  const title = words.value.tasks.result;
  if (task.result === null || task.result === '')
    return <NoMessageText title={title} text={emptyResult(isLive(task))} />;
  return <MessageText title={title} text={task.result} />;
}

function FormerResults({ results }: { results: readonly FormerResult[] }) {
  const { task: text, taskStatus } = words.value;
  return results.map(({ attempt, status, text: result }) => (
    <MessageText key={attempt} title={text.earlierResult(attempt, taskStatus[status])} text={result} />
  ));
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
