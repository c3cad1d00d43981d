// The page of one agent: status, inbox, tasks, completions and output, with actions to send tasks and messages.
import { useSignal } from '@preact/signals';
import { useRoute } from 'preact-iso/router';
import type { TaskRecord } from '../../server/domain/task.ts';
import { account } from '../account/account.ts';
import { FiguresPanel } from '../fleet/figures.tsx';
import { useTitle } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { hubTime } from '../live/clock.ts';
import { agents, isStale, mayWrite } from '../live/store.ts';
import { openSend } from '../messages/open-send.ts';
import { haltedStatus } from '../needs-you/agent-needs.ts';
import { Age } from '../parts/age.tsx';
import { Breadcrumb } from '../parts/breadcrumb.tsx';
import { Icon } from '../parts/icon.tsx';
import { ListFailed } from '../parts/load-failed.tsx';
import { Notice } from '../parts/notice.tsx';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { AgentStatus } from '../parts/status.tsx';
import { aliasIn, PATHS, sequencePath } from '../routes.ts';
import { AnswerDialog } from '../tasks/dialogs/answer-dialogs.tsx';
import { CancelDialog, ReassignDialog } from '../tasks/dialogs/task-dialogs.tsx';
import { useTaskList } from '../tasks/list/recent-lists.ts';
import { agentAnswered, questionsOf } from '../tasks/talk.ts';
import { AgentText } from '../text/agent-text.tsx';

import { AgentCompletions } from './agent-completions.tsx';
import { type AgentDetail, useAgentDetail } from './agent-detail.ts';
import { AgentFacts } from './agent-facts.tsx';
import { AgentInbox, LiveTasks, PastTasks } from './agent-lists.tsx';
import { StatusNote } from './agent-row.tsx';
import { AgentTimeline } from './agent-timeline.tsx';
import { Progress } from './progress.tsx';
import { currentTask, workOf } from './roster.ts';
import { useRoster } from './use-roster.tsx';

export default function AgentPage() {
  const alias = aliasIn(useRoute().params['alias'] ?? '');
  return <OneAgent key={alias} alias={alias} />;
}

const LIVE = 50;
const ALL = 60;

function OneAgent({ alias }: { alias: string }) {
  const detail = useAgentDetail(alias);
  const running = useTaskList({ status: 'running', to: alias }, LIVE);
  const waiting = useTaskList({ status: 'delivered', to: alias }, LIVE);
  const all = useTaskList({ to: alias }, ALL);
  useTitle(alias);
  return (
    <div class="page" data-stale={isStale.value}>
      <Head alias={alias} detail={detail} tasks={running.rows.value ?? []} />
      {detail.problem.value === 'failed' && <ListFailed onRetry={detail.load} />}
      {detail.problem.value === 'unknown' && <Unknown alias={alias} />}
      <div class="agent-page">
        <div class="agent-main">
          <LiveTasks running={running} waiting={waiting} />
          <FiguresPanel network_id={account.value?.network_id} alias={alias} />
          <AgentInbox alias={alias} waiting={detail.inbox.value} pending={detail.pending.value} />
          <PastTasks alias={alias} all={all} />
          <AgentCompletions completions={detail.completions.value} onMore={detail.moreCompletions.value} />
        </div>
        <div class="agent-side">
          <Side detail={detail} tasks={all.rows.value} />
        </div>
      </div>
    </div>
  );
}

/** Appears at once, so that its cards do not push each other down. */
function Side({ detail, tasks }: { detail: AgentDetail; tasks: readonly TaskRecord[] | null }) {
  const agent = detail.agent.value;
  if (tasks === null || (agent === null && detail.problem.value === null)) return <SkeletonRows />;
  return (
    <>
      {agent !== null && <AgentFacts agent={agent} />}
      <AgentTimeline tasks={tasks} messages={detail.messages.value} completions={detail.completions.value} />
    </>
  );
}

function Unknown({ alias }: { alias: string }) {
  const { agent } = words.value;
  return (
    <Notice tone="info">
      <strong>{agent.unknownTitle(alias)}</strong> {agent.unknownText}
    </Notice>
  );
}

/** `tasks` are those that it runs. */
type HeadProps = { alias: string; detail: AgentDetail; tasks: readonly TaskRecord[] };

function Head({ alias, detail, tasks }: HeadProps) {
  const known = detail.agent.value ?? agents.value?.find((each) => each.alias === alias);
  const stuck = useRoster()?.find(({ agent }) => agent.alias === alias)?.stuckSince;
  const halted = known && haltedStatus(known, hubTime());
  const running = currentTask({ task: known?.task ?? null }, tasks);
  const task = known === undefined ? '' : workOf(known, running);
  const questions = questionsOf(alias, running?.task_id, [
    ...detail.sent.value.toReversed(),
    ...(detail.messages.value?.toReversed() ?? []),
  ]);
  return (
    <header class="task-head">
      <Breadcrumb list={words.value.pages.agents} href={PATHS.agents}>
        <span class="crumb-current" dir="auto">
          {alias}
        </span>
      </Breadcrumb>
      <h1 class="task-title" dir="auto">
        {alias}
      </h1>
      {known !== undefined && (
        <p class="task-line" data-stuck={stuck !== undefined}>
          <AgentStatus status={known.status} isStuck={stuck !== undefined} />
          {halted !== undefined && known.status === 'offline' && <span>{words.value.agentStatus[halted]}</span>}
          <StatusNote since={known.status_since} stuckSince={stuck} />
          <span class="last-seen">
            {words.value.agent.lastSeen} <Age of={known.last_seen_at} />
            {words.value.agent.ago}
          </span>
        </p>
      )}
      {task !== '' && (
        <p class="agent-work">
          <span class="agent-work-text" dir="auto">
            {task}
          </span>
          {known?.progress != null && known.status !== 'offline' && <Progress percent={known.progress} label={alias} />}
        </p>
      )}
      <Asked question={questions.at(-1)} />
      {mayWrite.value && (
        <Actions
          alias={alias}
          running={running}
          isAsking={questions.length > 0 || halted !== undefined || stuck !== undefined}
          questions={questions}
        />
      )}
    </header>
  );
}

/** What it asks by a message. What it asks by its status is in its output. */
function Asked({ question }: { question: MessageRecord | undefined }) {
  if (question === undefined) return null;
  return (
    <blockquote class="quote">
      <AgentText text={question.content} label={words.value.task.talk.asked} />
    </blockquote>
  );
}

type ActionsProps = {
  alias: string;
  running: TaskRecord | undefined;
  isAsking: boolean;
  questions: readonly MessageRecord[];
};

/** The buttons that take its running task away from an agent that needs somebody. */
function TakeAway({ task }: { task: TaskRecord }) {
  const { act } = words.value.needsYou;
  const asked = useSignal<'reassign' | 'cancel' | null>(null);
  const close = () => (asked.value = null);
  return (
    <>
      <button type="button" class="button" data-command onClick={() => (asked.value = 'reassign')}>
        <Icon name="arrow" />
        {act.reassign}
      </button>
      <button type="button" class="button" data-command onClick={() => (asked.value = 'cancel')}>
        <Icon name="cancelled" />
        {act.cancel}
      </button>
      {asked.value === 'reassign' && <ReassignDialog task={task} onClose={close} />}
      {asked.value === 'cancel' && <CancelDialog task={task} onClose={close} />}
    </>
  );
}

/** For an agent that waits for a person, answering comes first. */
function Actions({ alias, running, isAsking, questions }: ActionsProps) {
  const { agent, answer } = words.value;
  const isAnswering = useSignal(false);
  const close = () => (isAnswering.value = false);
  const finish = (answered?: MessageRecord) => {
    agentAnswered(alias, answered);
    close();
  };
  return (
    <div class="actions">
      {isAsking && (
        <button type="button" class="button button-primary" data-command onClick={() => (isAnswering.value = true)}>
          <Icon name="message" />
          {answer.open}
        </button>
      )}
      {isAsking && running !== undefined && <TakeAway task={running} />}
      {isAnswering.value && (
        <AnswerDialog alias={alias} task={running} questions={questions} onClose={close} onDone={finish} />
      )}
      <button
        type="button"
        class={`button ${isAsking ? '' : 'button-primary'}`}
        data-command
        onClick={() => openSend(alias)}
      >
        <Icon name="send" />
        {agent.send}
      </button>
      <button type="button" class="button" data-command onClick={() => openSend(alias, 'message')}>
        <Icon name="message" />
        {agent.message}
      </button>
      <a class="button" href={sequencePath([alias])}>
        <Icon name="sequence" />
        {words.value.pages.sequence}
      </a>
    </div>
  );
}
