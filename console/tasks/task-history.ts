// Derives the steps and attempts of a task from its record and events.
import type { TaskRecord } from '../../server/domain/task.ts';
import type { TaskStatus } from '../../server/domain/task-status.ts';
import { isLive } from '../../server/domain/task-status.ts';
import type { MessageRecord, TaskEventRecord } from '../live/api.ts';
import { momentOf } from '../parts/format.ts';

export const STEPS = [
  'delivered_at',
  'notified_at',
  'fetched_at',
  'acked_at',
  'started_at',
  'completed_at',
] as const satisfies readonly (keyof TaskRecord)[];
export type StepName = (typeof STEPS)[number];

/** `reached` has a time; `next` may still happen; `skipped` was passed over by a later step. */
export type Step = { name: StepName; state: 'reached' | 'next' | 'skipped'; moment?: number; sincePreviousMs?: number };

/** The steps of the current attempt in the order they happened, followed by the remaining ones. */
export function stepsOf(task: TaskRecord): Step[] {
  const moments = STEPS.map((name) => ({ name, moment: momentOf(task[name] ?? '') }));
  // An acknowledged or finished task may be announced or fetched later, or never.
  const last = moments.findLastIndex(({ moment }) => !Number.isNaN(moment));
  const isOver = !isLive(task);
  let previous: number | undefined;
  return moments.map(({ name, moment }, index) => {
    if (Number.isNaN(moment)) return { name, state: isOver || index < last ? 'skipped' : 'next' };
    const since = previous === undefined ? undefined : Math.max(0, moment - previous);
    previous = Math.max(moment, previous ?? moment);
    return { name, state: 'reached', moment, ...(since !== undefined && { sincePreviousMs: since }) };
  });
}

export type Attempt = { number: number; start: TaskEventRecord; end: TaskEventRecord | undefined };

/**
 * Every transition back into an inbox starts another attempt. The previous transition, or a terminal one, ended the
 * last attempt.
 */
export function attemptsOf(events: readonly TaskEventRecord[]): Attempt[] {
  const attempts: Attempt[] = [];
  for (const event of events) {
    const open = attempts.at(-1);
    if (event.to_status === 'delivered') {
      if (open !== undefined) open.end ??= event;
      attempts.push({ number: attempts.length + 1, start: event, end: undefined });
    } else if (event.to_status !== 'running' && open !== undefined) open.end = event;
  }
  return attempts;
}

export type FormerResult = { attempt: number; status: TaskStatus; text: string };

/** The results of earlier attempts, latest first. A retry clears the result of the task, but its messages remain. */
export function formerResults(events: readonly TaskEventRecord[], messages: readonly MessageRecord[]): FormerResult[] {
  const former = attemptsOf(events).slice(0, -1).reverse();
  return former.flatMap(({ number, end }) => {
    const status = end?.to_status ?? 'delivered';
    const mine = messages.filter(({ attempt }) => attempt === number);
    const closing =
      mine.find(({ type }) => type === 'reply') ??
      (status === 'cancelled' ? mine.find(({ type }) => type === 'cancel') : undefined);
    return closing === undefined ? [] : [{ attempt: number, status, text: closing.content }];
  });
}
