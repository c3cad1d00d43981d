// The recent timeline of an agent.
import type { TaskRecord } from '../../server/domain/task.ts';
import { words } from '../i18n/language.ts';
import type { CompletionRecord, MessageRecord } from '../live/api.ts';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { taskPath } from '../routes.ts';
import { historyOf, type TimelineEvent } from './agent-history.ts';

type TimelineProps = {
  tasks: readonly TaskRecord[];
  messages: readonly MessageRecord[] | null;
  completions: readonly CompletionRecord[] | null;
};

export function AgentTimeline({ tasks, messages, completions }: TimelineProps) {
  const { agent: text } = words.value;
  const story = historyOf(tasks, messages ?? [], completions ?? []);
  return (
    <section class="side-card" aria-label={text.timeline}>
      <h2>{text.timeline}</h2>
      {story.length === 0 && <p class="text-block-empty">{text.timelineEmpty}</p>}
      <ol class="timeline">
        {story.map((moment) => (
          <TimelineEntry key={moment.key} moment={moment} />
        ))}
      </ol>
    </section>
  );
}

function TimelineEntry({ moment }: { moment: TimelineEvent }) {
  const { agent: text, taskStatus } = words.value;
  const kinds: Record<string, string> = { ...taskStatus, ...text.timelineEvent };
  return (
    <li class="timeline-row" data-status={moment.kind}>
      <span class="step-mark" />
      <span class="timeline-kind">{kinds[moment.kind]}</span>
      <Age of={moment.at} />
      {moment.task_id === undefined ? (
        <span class="timeline-text" dir="auto">
          {headline(moment.text)}
        </span>
      ) : (
        <a class="timeline-text" href={taskPath(moment.task_id)} dir="auto">
          {headline(moment.text)}
        </a>
      )}
    </li>
  );
}
