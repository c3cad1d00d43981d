// What an agent has reported as completed, with results and artifacts.
import { words } from '../i18n/language.ts';
import type { CompletionRecord } from '../live/api.ts';
import { Age } from '../parts/age.tsx';
import { headline } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { AgentText } from '../text/agent-text.tsx';
import { Artifacts } from '../text/artifacts.tsx';
import { Section } from './agent-lists.tsx';

export function AgentCompletions({
  completions,
  onMore,
}: {
  completions: readonly CompletionRecord[] | null;
  onMore: (() => void) | undefined;
}) {
  const { agent: text } = words.value;
  return (
    <Section title={text.completions}>
      {completions === null && <SkeletonRows rows={1} />}
      {completions?.length === 0 && <p class="list-empty">{text.completionsEmpty}</p>}
      <ul class="short-list">
        {completions?.map((completion) => (
          <Completion key={completion.id} completion={completion} />
        ))}
      </ul>
      {onMore !== undefined && (
        <button type="button" class="button panel-more" onClick={onMore}>
          {words.value.common.showMore}
        </button>
      )}
    </Section>
  );
}

function Completion({ completion }: { completion: CompletionRecord }) {
  const { agent: text } = words.value;
  const { artifacts = [] } = completion;
  const notes = [
    completion.score !== undefined && text.score(completion.score),
    completion.duration_minutes !== undefined && text.minutes(completion.duration_minutes),
  ];
  return (
    <li class="completion">
      <span class="completion-task" dir="auto">
        {headline(completion.task)}
      </span>
      <Age of={completion.completed_at} />
      <span class="side-note">{notes.filter((note) => note !== false).join(' · ')}</span>
      {completion.result !== '' && (
        <div class="completion-result">
          <AgentText text={completion.result} label={words.value.tasks.result} isShort />
        </div>
      )}
      <Artifacts artifacts={artifacts} />
    </li>
  );
}
