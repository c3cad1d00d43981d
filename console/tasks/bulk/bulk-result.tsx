// The progress and result of a bulk action: how many succeeded and why others were rejected.
import { language, words } from '../../i18n/language.ts';
import { wholeNumber } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { Notice } from '../../parts/notice.tsx';
import { taskPath } from '../../routes.ts';
import { type BulkResult, bulkProgress, bulkResult, type Refusal, stopBulk } from './bulk.ts';
import { selectThese } from './selection.ts';

const whole = (n: number) => wholeNumber(n, language.value);

export function BulkProgress() {
  const { bulk } = words.value.tasks;
  const progress = bulkProgress.value;
  if (progress === null) return null;
  const text = bulk.working(whole(progress.done), whole(progress.all));
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
  const rest = [...outcome.refused.map(({ task }) => task), ...outcome.left];
  return (
    <>
      <Notice tone={rest.length > 0 ? 'warning' : 'good'}>{sentencesOf(outcome).join(' ')}</Notice>
      {rest.length > 0 && (
        <button type="button" class="button button-small" onClick={() => selectThese(rest)}>
          {words.value.tasks.bulk.selectRest(whole(rest.length))}
        </button>
      )}
      <button
        type="button"
        class="button button-quiet button-icon"
        aria-label={words.value.tasks.bulk.dismiss}
        onClick={() => (bulkResult.value = null)}
      >
        <Icon name="close" />
      </button>
      {outcome.refused.length > 0 && <Refusals refused={outcome.refused} />}
    </>
  );
}

function sentencesOf({ done, refused: { length: refused }, left: { length: left } }: BulkResult): string[] {
  const { bulk } = words.value.tasks;
  return [
    bulk.done(done, whole(done)),
    ...(refused > 0 ? [bulk.refused(refused, whole(refused))] : []),
    ...(left > 0 ? [bulk.left(left, whole(left))] : []),
  ];
}

/** Limits the list to a readable length. */
const LISTED = 200;

function Refusals({ refused }: { refused: readonly Refusal[] }) {
  const { bulk } = words.value.tasks;
  const more = refused.length - LISTED;
  return (
    <ul class="bulk-refusals" tabIndex={0} aria-label={bulk.refused(refused.length, whole(refused.length))}>
      {refused.slice(0, LISTED).map(({ task, why }) => (
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
