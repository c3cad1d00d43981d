// The steps of a task, each with its time and duration.
import type { TaskRecord } from '../../server/domain/task.ts';
import { language, words } from '../i18n/language.ts';
import { duration, exactTime, momentOf, timeOfDay } from '../parts/format.ts';
import { type Step, stepsOf } from './task-history.ts';

export function TaskSteps({ task }: { task: TaskRecord }) {
  const { task: text } = words.value;
  const total = momentOf(task.completed_at ?? '') - momentOf(task.delivered_at);
  return (
    <section class="side-card" aria-label={text.progress}>
      <header class="side-head">
        <h2>{text.progress}</h2>
        {!Number.isNaN(total) && <span class="side-note">{text.total(duration(total, language.value))}</span>}
      </header>
      <ol class="task-steps" data-status={task.status}>
        {stepsOf(task).map((step) => (
          <StepRow key={step.name} step={step} task={task} />
        ))}
      </ol>
    </section>
  );
}

function StepRow({ step, task }: { step: Step; task: TaskRecord }) {
  const { task: text, taskStatus } = words.value;
  const isEnd = step.name === 'completed_at' && step.state === 'reached';
  return (
    <li class="step" data-state={step.state} data-end={isEnd}>
      <span class="step-mark" />
      <span class="step-name" title={text.stepHint[step.name]}>
        {isEnd ? taskStatus[task.status] : text.step[step.name]}
      </span>
      <StepTime step={step} />
      {step.sincePreviousMs !== undefined && (
        <span class="step-duration">{text.after(duration(step.sincePreviousMs, language.value))}</span>
      )}
    </li>
  );
}

function StepTime({ step }: { step: Step }) {
  const { task: text } = words.value;
  if (step.moment === undefined)
    return <span class="step-time step-pending">{step.state === 'next' ? text.notYet : text.skipped}</span>;
  return (
    <time
      class="step-time"
      dateTime={new Date(step.moment).toISOString()}
      title={exactTime(step.moment, language.value)}
    >
      {timeOfDay(step.moment, language.value)}
    </time>
  );
}
