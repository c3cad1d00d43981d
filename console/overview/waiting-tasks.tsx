// The tasks that have waited longest, each with the reason: the full reason for the first, a short one for the others.
import { useComputed, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { type WhyFacts, whyTask } from '../live/api.ts';
import { agentsByAlias } from '../live/store.ts';
import { Elapsed } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskPriority } from '../parts/status.tsx';
import { taskPath, tasksPath } from '../routes.ts';
import { TaskRoute } from '../tasks/task-route.tsx';
import { ShortWhy, WhyText } from '../tasks/why-sentence.tsx';
import { useLongestWaiting } from './longest-waiting.ts';
import { Panel } from './panel.tsx';

/** The stylesheet hides rows that do not fit the screen. */
const SHOWN = 30;

export function WaitingTasks() {
  const { overview } = words.value;
  const longest = useLongestWaiting(SHOWN).value;
  const [first, ...others] = longest ?? [];
  const all = (
    <a class="link" href={tasksPath({ status: 'delivered' })}>
      {overview.allWaiting}
    </a>
  );
  return (
    <Panel id="waiting" title={overview.oldestWaiting} total={undefined} actions={all}>
      {longest === null && <SkeletonRows />}
      {longest?.length === 0 && <p class="list-empty">{overview.noWaitingTasks}</p>}
      {first && <LongestWaiting key={first.task_id} task={first} />}
      {others.length > 0 && (
        <ul class="short-list">
          {others.map((task) => (
            <Waiting key={task.task_id} task={task} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function LongestWaiting({ task }: { task: TaskRecord }) {
  const facts = useWhyFacts(task);
  return (
    <div class="waiting">
      <span class="waiting-age">
        <Elapsed since={task.delivered_at} />
      </span>
      <div class="waiting-task">
        <a class="row-link" href={taskPath(task.task_id)} dir="auto">
          {headline(task.content)}
        </a>
        <p class="waiting-line">
          <TaskRoute task={task} />
          <TaskPriority priority={task.priority} />
        </p>
        <p class="waiting-why">{facts !== null && <WhyText task={task} facts={facts} />}</p>
      </div>
    </div>
  );
}

/** A busy agent changes many times per second, so the request waits until it is quiet. */
const REST_MS = 1_000;

/** The reason from the hub, reloaded when the task or its agent changes. */
function useWhyFacts(task: TaskRecord): WhyFacts | null {
  const facts = useSignal<WhyFacts | null>(null);
  const agent = useComputed(() => agentsByAlias.value?.get(task.to_name)).value;
  useEffect(() => {
    const ask = () =>
      void whyTask(task.task_id, { network_id: account.value?.network_id }).then(
        (answer) => (facts.value = answer.facts),
        () => {},
      );
    const timer = setTimeout(ask, facts.value === null ? 0 : REST_MS);
    return () => clearTimeout(timer);
  }, [task, agent?.status, agent?.inbox_count]);
  return facts.value;
}

function Waiting({ task }: { task: TaskRecord }) {
  return (
    <li class="short-row waiting-row" data-status={task.status}>
      <a class="row-link" href={taskPath(task.task_id)} dir="auto">
        {headline(task.content)}
      </a>
      <Elapsed since={task.delivered_at} />
      <ShortWhy task={task} />
    </li>
  );
}
