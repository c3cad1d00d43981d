// The history of a task: its attempts, if there are several, and every transition with its actor.
import { language, words } from '../i18n/language.ts';
import type { TaskEventRecord } from '../live/api.ts';
import { Moment } from '../parts/age.tsx';
import { duration, momentOf } from '../parts/format.ts';
import { SkeletonRows } from '../parts/skeleton.tsx';
import { TaskState } from '../parts/status.tsx';
import { withoutControls } from '../text/controls.ts';
import { type Attempt, attemptsOf } from './task-history.ts';

export function TaskEvents({ events }: { events: readonly TaskEventRecord[] | null }) {
  const { task: text } = words.value;
  if (events === null) return <SkeletonRows />;
  const attempts = attemptsOf(events);
  return (
    <>
      {attempts.length > 1 && (
        <section class="side-card" aria-label={text.attemptsTitle}>
          <h2>{text.attemptsTitle}</h2>
          <ol class="attempts">
            {attempts.map((attempt) => (
              <AttemptRow key={attempt.number} attempt={attempt} />
            ))}
          </ol>
        </section>
      )}
      <section class="side-card" aria-label={text.events}>
        <h2>{text.events}</h2>
        <ol class="events">
          {events.map((event) => (
            <Event key={event.id} event={event} />
          ))}
        </ol>
      </section>
    </>
  );
}

function AttemptRow({ attempt: { number, start, end } }: { attempt: Attempt }) {
  const { task: text } = words.value;
  const lasted = momentOf(end?.created_at ?? '') - momentOf(start.created_at);
  const outcome = end?.to_status === 'delivered' ? undefined : end?.to_status;
  return (
    <li class="attempt-row">
      <span>{text.attemptNumber(number)}</span>
      <Moment at={start.created_at} />
      <span class="attempt-end">
        {outcome === undefined ? end !== undefined && text.wasReassigned : <TaskState status={outcome} />}
        {!Number.isNaN(lasted) && <span class="side-note">{text.after(duration(lasted, language.value))}</span>}
      </span>
    </li>
  );
}

function Event({ event }: { event: TaskEventRecord }) {
  const { task: text } = words.value;
  return (
    <li class="event">
      <span class="event-head">
        <TaskState status={event.to_status} />
        <span class="event-actor">
          {text.by} <bdi>{event.actor}</bdi>
        </span>
        <Moment at={event.created_at} />
      </span>
      {event.detail !== null && event.detail !== '' && (
        <span class="event-detail" dir="auto">
          {withoutControls(event.detail)}
        </span>
      )}
    </li>
  );
}
