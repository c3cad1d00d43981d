// Renders the reason for the status of a task. Lists use a short form that needs no request.
import { useComputed } from '@preact/signals';
import type { TaskRecord } from '../../server/domain/task.ts';
import { isLive } from '../../server/domain/task-status.ts';
import { language, words } from '../i18n/language.ts';
import type { WhyFacts } from '../live/api.ts';
import { now } from '../live/clock.ts';
import { agentsBeyond, agentsByAlias } from '../live/store.ts';
import { headline } from '../parts/format.ts';
import { explainBriefly, explainTask } from './why.ts';

type WhyProps = { task: TaskRecord; facts: WhyFacts; later?: TaskRecord | undefined };

/** A separate component, so that the clock updates only this text. */
export function WhyText({ task, facts, later }: WhyProps) {
  const context = { now: now.value, language: language.value, words: words.value };
  const sentences = explainTask(task, facts, context, later);
  return <span>{words.value.task.whyText.all(sentences)}</span>;
}

/** The reason of a failure, or the short form, derived from cached data, so that hundreds of rows send no requests. */
export function ShortWhy({ task }: { task: TaskRecord }) {
  if (isLive(task)) return <ShortWhyText key={task.to_name} task={task} />;
  if (task.status !== 'failed' || !task.result) return null;
  return (
    <span class="row-why" dir="auto">
      {headline(task.result)}
    </span>
  );
}

function ShortWhyText({ task }: { task: TaskRecord }) {
  // Subscribes only to changes of this agent.
  const agent = useComputed(() => agentsByAlias.value?.get(task.to_name)).value;
  if (agentsByAlias.peek() === null || (agent === undefined && agentsBeyond.value !== null)) return null;
  const sentences = explainBriefly(task, agent, { now: now.value, language: language.value, words: words.value });
  return sentences.length === 0 ? null : <span class="row-why">{words.value.task.whyText.all(sentences)}</span>;
}
