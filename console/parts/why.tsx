// The sentence that says why a task is where it is.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { WhyFacts } from '../api.ts';
import { now } from '../clock.ts';
import { language, words } from '../i18n/language.ts';
import { mayCancel } from '../statuses.ts';
import { becauseOf } from '../why.ts';
import { Icon } from './icon.tsx';

type WhyProps = { task: TaskRecord; facts: WhyFacts };

export function Why({ task, facts }: WhyProps) {
  const { why } = words.value.task;
  return (
    <section class="why" data-live={mayCancel(task.status)} aria-label={why}>
      <Icon name="help" />
      <p><strong>{why}</strong> <Because task={task} facts={facts} /></p>
    </section>
  );
}

/** Moves with the clock, alone. */
export function Because({ task, facts }: WhyProps) {
  const sentences = becauseOf(task, facts, { now: now.value, language: language.value, words: words.value });
  return <span>{words.value.task.because.all(sentences)}</span>;
}
