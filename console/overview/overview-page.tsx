// The overview: agents, tasks, throughput, waiting and failed tasks. Every number links to its list.
import { TASK_STATUSES } from '../../server/domain/task-status.ts';
import { ShortTasks } from '../agents/agent-lists.tsx';
import { SPAN_NAMES, type Span, spanIn } from '../fleet/spans.ts';
import { useAddress } from '../frame/address.ts';
import { later } from '../frame/later.tsx';
import { words } from '../i18n/language.ts';
import { agents, isStale, mayWrite, taskCounts, taskTotal } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { NeedsPanel } from '../needs-you/needs-panel.tsx';
import { needs } from '../needs-you/shown-needs.ts';
import { Choice } from '../parts/choice.tsx';
import { Counts } from '../parts/counts.tsx';
import { Empty } from '../parts/empty.tsx';
import { Icon } from '../parts/icon.tsx';
import { LoadFailed } from '../parts/load-failed.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { PATHS, tasksPath } from '../routes.ts';
import { useTaskList } from '../tasks/list/recent-lists.ts';
import { AgentsPanel } from './agents-panel.tsx';
import { Panel } from './panel.tsx';
import { useThroughput } from './throughput.ts';
import { ThroughputChart } from './throughput-chart.tsx';
import { WaitingTasks } from './waiting-tasks.tsx';

export default function Overview() {
  const { overview, send } = words.value;
  const isEmpty = agents.value?.length === 0 && taskCounts.value !== null && taskTotal.value === 0;
  return (
    <div class="page" data-stale={isStale.value}>
      <PageHead title={overview.title}>
        {mayWrite.value && (
          <button type="button" class="button button-primary" onClick={() => openSend('')}>
            <Icon name="send" />
            {send.title.task}
          </button>
        )}
      </PageHead>
      <LoadFailed />
      {!(isEmpty && needs.value?.length === 0) && <NeedsPanel />}
      {isEmpty ? <FirstSteps /> : <Stats />}
    </div>
  );
}

const DemoPanel = later(async () => (await import('../pages.ts')).DemoPanel);

function FirstSteps() {
  const { agents: text } = words.value;
  return (
    <>
      <section class="panel" aria-label={text.emptyTitle}>
        <Empty title={text.emptyTitle} text={text.emptyText}>
          <a class="button button-primary" href={PATHS.connect}>
            {words.value.frame.connect}
          </a>
        </Empty>
      </section>
      <DemoPanel />
    </>
  );
}

function Stats() {
  return (
    <div class="overview">
      <AgentsPanel />
      <TaskStats />
      <ThroughputPanel />
      <WaitingTasks />
      <Failures />
    </div>
  );
}

function TaskStats() {
  const { tasks: text, taskStatus } = words.value;
  const known = taskCounts.value;
  const counts = TASK_STATUSES.map((status) => ({
    status,
    label: taskStatus[status],
    count: known === null ? undefined : (known[status] ?? 0),
    href: tasksPath({ status }),
    chosen: false,
    sign: <Icon name={status} />,
  }));
  return (
    <Panel id="tasks" title={text.title} total={known === null ? undefined : taskTotal.value} href={PATHS.tasks}>
      <Counts label={text.filter} counts={counts} />
    </Panel>
  );
}

function ThroughputPanel() {
  const { overview, figures } = words.value;
  const { query, replace } = useAddress();
  const span = spanIn(query);
  const data = useThroughput(span).value;
  const options = SPAN_NAMES.map((value) => ({ value, label: figures.spans[value] }));
  const choose = (value: Span) => replace({ span: value === 'hour' ? undefined : value });
  const actions = <Choice name="span" legend={overview.span} options={options} chosen={span} onChoose={choose} />;
  return (
    <Panel id="throughput" title={overview.throughput} total={undefined} actions={actions}>
      <div class="throughput">
        {data === null ? <SkeletonRows /> : <ThroughputChart key={span} data={data} span={span} />}
      </div>
    </Panel>
  );
}

/** The stylesheet hides rows that do not fit the screen. */
const FAILURES = 20;
const LOADED_FAILURES = 40;

function Failures() {
  const { overview } = words.value;
  // The hub sorts by creation time. Of these tasks, the ones that failed last are shown.
  const list = useTaskList({ status: 'failed' }, LOADED_FAILURES);
  const latest =
    list.rows.value
      ?.toSorted((one, other) => (other.completed_at ?? '').localeCompare(one.completed_at ?? ''))
      .slice(0, FAILURES) ?? null;
  return (
    <Panel
      id="failures"
      title={overview.failures}
      total={undefined}
      actions={
        <a class="link" href={tasksPath({ status: 'failed' })}>
          {overview.allFailures}
        </a>
      }
    >
      <ShortTasks tasks={latest} empty={overview.noFailures} withRoute />
    </Panel>
  );
}
