// The outcome of a task: its result, or the attempts side by side with the result of each, latest first.
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive, type TaskStatus } from '../../server/domain/task-status.ts';
import { language, words } from '../i18n/language.ts';
import type { MessageRecord } from '../live/api.ts';
import { emptyResult, MessageText, NoMessageText } from '../messages/message-text.tsx';
import { preciseDuration } from '../parts/format.ts';
import { TaskState } from '../parts/status.tsx';
import { type Attempt, formerResult } from './timeline.ts';

type OutcomeProps = { task: TaskRecord; attempts: readonly Attempt[]; replies: readonly MessageRecord[] };

export function Outcome({ task, attempts, replies }: OutcomeProps) {
  if (attempts.length < 2) return <Result task={task} />;
  const [current, ...former] = attempts.toReversed();
  return (
    <section class="attempts" aria-label={words.value.task.attemptsTitle}>
      {current !== undefined && (
        <div class="attempt-column">
          <AttemptHead attempt={current} outcome={isLive(task) ? undefined : task.status} />
          <Result task={task} />
        </div>
      )}
      {former.map((attempt) => (
        <Former key={attempt.number} attempt={attempt} result={formerResult(attempt, replies)} />
      ))}
    </section>
  );
}

function Result({ task }: { task: TaskRecord }) {
  const title = words.value.tasks.result;
  if (task.result === null || task.result === '')
    return <NoMessageText title={title} text={emptyResult(isLive(task))} />;
  return <MessageText title={title} text={task.result} />;
}

function Former({ attempt, result }: { attempt: Attempt; result: string | undefined }) {
  const { number, outcome = 'delivered' } = attempt;
  const title = words.value.task.earlierResult(number, outcomeText(outcome));
  return (
    <div class="attempt-column">
      <AttemptHead attempt={attempt} outcome={outcome} />
      {result !== undefined && <MessageText title={title} text={result} />}
    </div>
  );
}

/** An attempt that is followed by another without an end was reassigned. */
function outcomeText(outcome: TaskStatus): string {
  return outcome === 'delivered' ? words.value.task.wasReassigned : words.value.taskStatus[outcome];
}

function AttemptHead({ attempt, outcome }: { attempt: Attempt; outcome: Attempt['outcome'] }) {
  const { task: text } = words.value;
  const { number, durationMs } = attempt;
  return (
    <p class="attempt-head">
      <strong>{text.attemptNumber(number)}</strong>
      {outcome === 'delivered' ? outcomeText(outcome) : outcome !== undefined && <TaskState status={outcome} />}
      {durationMs !== undefined && (
        <span class="side-note">{text.after(preciseDuration(durationMs, language.value))}</span>
      )}
    </p>
  );
}
