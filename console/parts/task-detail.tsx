// All of one task: what was asked, what came of it, when each step happened, and what its state lets a person do.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import { mayCancel } from '../statuses.ts';
import { mayWrite } from '../store.ts';
import { Moment } from './age.tsx';
import { CopyButton } from './copy.tsx';
import { TaskActs } from './task-acts.tsx';

const STEPS = [
  'created_at', 'delivered_at', 'notified_at', 'fetched_at', 'acked_at', 'started_at', 'completed_at', 'expires_at',
] as const satisfies readonly (keyof TaskRecord)[];

export function TaskDetail({ task }: { task: TaskRecord }) {
  const text = words.value.tasks;
  return (
    <div class="detail">
      <div class="detail-texts">
        <Passage title={text.content} text={task.content} />
        {task.context !== undefined && <Passage title={text.context} text={task.context} />}
        {task.result === null || task.result === '' ? <NoResult task={task} /> : <Passage title={text.result} text={task.result} />}
        {mayWrite.value && <TaskActs task={task} />}
      </div>
      <Facts task={task} />
    </div>
  );
}

function Passage({ title, text }: { title: string; text: string }) {
  return (
    <section class="passage">
      <header class="passage-head">
        <h3>{title}</h3>
        <CopyButton text={text} what={title} />
      </header>
      <pre class="passage-text" role="group" dir="auto" tabIndex={0} aria-label={title}>{text}</pre>
    </section>
  );
}

function NoResult({ task }: { task: TaskRecord }) {
  const { noResult } = words.value.tasks;
  return <p class="field-hint">{mayCancel(task.status) ? noResult.live : noResult.settled}</p>;
}

function Facts({ task }: { task: TaskRecord }) {
  const text = words.value.tasks;
  return (
    <dl class="facts" aria-label={text.facts}>
      {STEPS.map((step) => <Fact key={step} name={text.time[step]} timestamp={shownStep(task, step)} />)}
      <div class="fact">
        <dt>{text.attempt}</dt>
        <dd>{task.attempt}</dd>
      </div>
      <div class="fact">
        <dt>{text.id}</dt>
        <dd class="mono">{task.task_id}</dd>
      </div>
    </dl>
  );
}

/** When a settled task would have expired interests nobody. */
function shownStep(task: TaskRecord, step: (typeof STEPS)[number]): string | null {
  return step === 'expires_at' && !mayCancel(task.status) ? null : (task[step] ?? null);
}

function Fact({ name, timestamp }: { name: string; timestamp: string | null }) {
  if (timestamp === null) return null;
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd><Moment at={timestamp} /></dd>
    </div>
  );
}
