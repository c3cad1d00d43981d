// The timeline of a task: when each step happened, how long after the one before, and who did it.
import { withoutControls } from '../../server/domain/text/controls.ts';
import { language, words } from '../i18n/language.ts';
import { preciseDuration, preciseTime, timeOfDay } from '../parts/format.ts';
import { AgentText } from '../text/agent-text.tsx';
import { type Attempt, type Moment, type MomentName, type NextName, type Talk, withTalk } from './timeline.ts';

export function TaskTimeline({ attempts, talk }: { attempts: readonly Attempt[]; talk: readonly Talk[] }) {
  const { task: text } = words.value;
  const total = attempts.length === 1 ? attempts[0]?.durationMs : undefined;
  return (
    <section class="side-card" aria-label={text.timeline}>
      <header class="side-head">
        <h2>{text.timeline}</h2>
        {total !== undefined && <span class="side-note">{text.total(preciseDuration(total, language.value))}</span>}
      </header>
      {attempts.map((attempt, index) => (
        <div key={attempt.number} class="task-attempt">
          {attempts.length > 1 && <h3>{text.attemptNumber(attempt.number)}</h3>}
          <ol class="task-steps">
            {withTalk(attempts, index, talk).map((each) =>
              'message' in each ? <TalkRow key={each.key} talk={each} /> : <MomentRow key={each.key} moment={each} />,
            )}
            {attempt.next.map((name) => (
              <NextRow key={name} name={name} />
            ))}
          </ol>
        </div>
      ))}
    </section>
  );
}

function MomentRow({ moment: { name, at, sincePreviousMs, actor, detail } }: { moment: Moment }) {
  const { task: text } = words.value;
  return (
    <li class="step" data-state="reached" data-status={name}>
      <span class="step-mark" />
      <span class="step-name">{labelOf(name)}</span>
      <time class="step-time" dateTime={new Date(at).toISOString()} title={preciseTime(at, language.value)}>
        {timeOfDay(at, language.value)}
      </time>
      <span class="step-duration">
        {sincePreviousMs !== undefined && <span>{text.after(preciseDuration(sincePreviousMs, language.value))}</span>}
        {actor !== undefined && (
          <span class="step-actor">
            {text.by} <bdi>{actor}</bdi>
          </span>
        )}
      </span>
      {detail && (
        <span class="step-detail" dir="auto">
          {withoutControls(detail)}
        </span>
      )}
    </li>
  );
}

function TalkRow({ talk: { name, at, message } }: { talk: Talk }) {
  const { task: text } = words.value;
  return (
    <li class="step" data-state="reached">
      <span class="step-mark" />
      <span class="step-name">{text.talk[name]}</span>
      <time class="step-time" dateTime={new Date(at).toISOString()}>
        {timeOfDay(at, language.value)}
      </time>
      <span class="step-duration">
        <span class="step-actor">
          {text.by} <bdi>{message.from_session}</bdi>
        </span>
      </span>
      <div class="step-detail">
        <AgentText text={message.content} label={text.talk[name]} isInList />
      </div>
    </li>
  );
}

function NextRow({ name }: { name: NextName }) {
  return (
    <li class="step" data-state="next">
      <span class="step-mark" />
      <span class="step-name">{labelOf(name)}</span>
      <span class="step-time step-pending">{words.value.task.notYet}</span>
    </li>
  );
}

function labelOf(name: MomentName | NextName): string {
  const { task: text, taskStatus } = words.value;
  const labels: Record<MomentName | NextName, string> = { ...taskStatus, ...text.step };
  return labels[name];
}
