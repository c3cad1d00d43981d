// The progress and result of a bulk action: how many succeeded and why others were rejected.

import { language, words } from '../../i18n/language.ts';
import { wholeNumber } from '../../parts/format.ts';
import { IconButton } from '../../parts/icon.tsx';
import { Notice } from '../../parts/notice.tsx';
import { taskPath } from '../../routes.ts';
import { type BulkResult, bulkProgress, bulkResult, type Rejection, stopBulk } from './bulk.ts';
import { selectThese } from './selection.ts';

const whole = (n: number) => wholeNumber(n, language.value);

export function BulkProgress() {
  const { bulk } = words.value.tasks;
  const progress = bulkProgress.value;
  if (progress === null) return null;
  const text = bulk.progress(whole(progress.done), whole(progress.all));
  return (
    <>
      <span class="progress bulk-progress">
        <progress max={progress.all} value={progress.done} aria-label={text} />
      </span>
      <span class="bulk-count">{text}</span>
      <button type="button" class="button button-small" onClick={stopBulk}>
        {bulk.stop}
      </button>
    </>
  );
}

export function BulkResultNotice() {
  const outcome = bulkResult.value;
  if (outcome === null) return null;
  const rest = [...outcome.rejected.map(({ task }) => task), ...outcome.notAttempted];
  return (
    <>
      <Notice tone={rest.length > 0 ? 'warning' : 'good'}>{sentencesOf(outcome).join(' ')}</Notice>
      {rest.length > 0 && (
        <button type="button" class="button button-small" onClick={() => selectThese(rest)}>
          {words.value.tasks.bulk.selectRest(whole(rest.length))}
        </button>
      )}
      <IconButton icon="close" label={words.value.tasks.bulk.dismiss} onClick={() => (bulkResult.value = null)} />
      {outcome.rejected.length > 0 && <Rejections rejected={outcome.rejected} />}
    </>
  );
}

export function sentencesOf({ what, done, rejected, notAttempted }: BulkResult): string[] {
  const { bulk } = words.value.tasks;
  return [
    sentence(bulk.done[what], done),
    ...(rejected.length > 0 ? [sentence(bulk.rejected, rejected.length)] : []),
    ...(notAttempted.length > 0 ? [sentence(bulk.notAttempted, notAttempted.length)] : []),
  ];
}

function sentence(what: string, n: number): string {
  return words.value.tasks.bulk.outcome(what, n, whole(n));
}

/** Limits the list to a readable length. */
const LISTED = 200;

export function Rejections({ rejected }: { rejected: readonly Rejection[] }) {
  const { bulk } = words.value.tasks;
  const more = rejected.length - LISTED;
  return (
    <ul class="bulk-rejections" tabIndex={0} aria-label={sentence(bulk.rejected, rejected.length)}>
      {rejected.slice(0, LISTED).map(({ task, why }) => (
        <li key={task.task_id}>
          <a class="link" href={taskPath(task.task_id)} dir="auto">
            {task.headline}
          </a>{' '}
          <span class="bulk-reason">{why}</span>
        </li>
      ))}
      {more > 0 && <li>{bulk.more(whole(more))}</li>}
    </ul>
  );
}
