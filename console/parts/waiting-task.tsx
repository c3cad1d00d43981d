// The task that has waited longest, and why.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account.ts';
import { type WhyFacts, whyTask } from '../api.ts';
import { headline } from '../format.ts';
import { words } from '../i18n/language.ts';
import { useOldestWaiting } from '../oldest-waiting.ts';
import { taskPath, tasksPath } from '../routes.ts';
import { Lasting } from './age.tsx';
import { Panel } from './panel.tsx';
import { SkeletonRows } from './skeleton.tsx';
import { TaskPriority } from './status.tsx';
import { TaskRoute } from './task-route.tsx';
import { Because } from './why.tsx';

export function WaitingTask() {
  const { overview } = words.value;
  const oldest = useOldestWaiting().value;
  const all = <a class="link" href={tasksPath({ status: 'delivered' })}>{overview.allWaiting}</a>;
  return (
    <Panel id="waiting" title={overview.oldest} total={undefined} act={all}>
      {oldest === undefined && <SkeletonRows />}
      {oldest === null && <p class="list-none">{overview.nobodyWaits}</p>}
      {oldest && <Waiting key={oldest.task_id} task={oldest} />}
    </Panel>
  );
}

function Waiting({ task }: { task: TaskRecord }) {
  const facts = useSignal<WhyFacts | null>(null);
  useEffect(() => {
    whyTask(task.task_id, { network_id: account.value?.network_id }).then((answer) => (facts.value = answer.facts), () => {});
  }, []);
  return (
    <div class="waiting">
      <span class="waiting-age"><Lasting since={task.delivered_at} /></span>
      <div class="waiting-what">
        <a class="row-link" href={taskPath(task.task_id)} dir="auto">{headline(task.content)}</a>
        <p class="waiting-line"><TaskRoute task={task} /><TaskPriority priority={task.priority} /></p>
        <p class="waiting-why">{facts.value !== null && <Because task={task} facts={facts.value} />}</p>
      </div>
    </div>
  );
}
