// Why a task is in its state, what to do about it, and the actions.
import { useComputed } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { stuckSince } from '../agents/roster.ts';
import { words } from '../i18n/language.ts';
import type { MessageRecord, WhyFacts } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { agentsByAlias, mayWrite } from '../live/store.ts';
import { Copyable } from '../parts/copy.tsx';
import { Icon } from '../parts/icon.tsx';
import { type Advice, adviceFor, workerCommand } from './advice.ts';
import { useLaterTask } from './later-task.ts';
import { openQuestions } from './talk.ts';
import { isForPeople, TaskActions } from './task-actions.tsx';
import { WhyText } from './why-sentence.tsx';

/** `facts` are null until they are loaded. */
type TaskWhyProps = { task: TaskRecord; facts: WhyFacts | null; talk: readonly MessageRecord[] };

export function TaskWhy({ task, facts, talk }: TaskWhyProps) {
  const { task: text } = words.value;
  const questions = isLive(task) ? openQuestions(talk, task.to_name) : [];
  const later = useLaterTask(task);
  const advice = useAdvice(task, facts, { hasAsked: questions.length > 0, isLeft: later !== undefined });
  return (
    <section class="why" data-live={isLive(task)} aria-label={text.why}>
      <Icon name="help" />
      <div class="why-text">
        <p>
          <strong>{text.why}</strong>{' '}
          {facts !== null && !(isLive(task) && isForPeople(task)) && (
            <WhyText task={task} facts={facts} later={later} />
          )}
        </p>
        {advice !== undefined && mayWrite.value && <p class="why-advice">{text.advice[advice.name]}</p>}
        {advice?.name === 'unheard' && mayWrite.value && (
          <Copyable text={workerCommand(task.to_name)} what={text.worker} />
        )}
        {mayWrite.value && <TaskActions task={task} advised={advice?.act} questions={questions} />}
      </div>
    </section>
  );
}

type Seen = { hasAsked: boolean; isLeft: boolean };

function useAdvice(task: TaskRecord, facts: WhyFacts | null, { hasAsked, isLeft }: Seen): Advice | undefined {
  const isStuck = useComputed(() => {
    const moment = now.value; // read first, so that it is computed again without an agent, too
    const agent = agentsByAlias.value?.get(task.to_name);
    return agent !== undefined && stuckSince(agent, task.started_at ?? '', moment) !== undefined;
  });
  if (facts === null && isLive(task)) return undefined;
  // An agent that works on another task does nothing for this one.
  const status = isLeft ? 'idle' : (facts?.assignee_status ?? 'unknown');
  return adviceFor(task, status, { isForPeople: isForPeople(task), isStuck: isStuck.value, hasAsked });
}
