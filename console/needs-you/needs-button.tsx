// The link in the top bar with the number of needs. While it is rendered, the list of needs is kept current, and the
// tab title and the favicon show the number.
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { shortCount, titleCount } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { taskCounts } from '../live/store.ts';
import { Icon } from '../parts/icon.tsx';
import { PATHS } from '../routes.ts';
import { useTaskList } from '../tasks/list/recent-lists.ts';
import { markFavicon } from './favicon.ts';
import { needs, watchNeeds } from './watch-needs.ts';

/** The address of the panel is the overview with this hash. */
export const NEEDS_ID = 'needs-you';
/** Shared with the list of failures on the overview. */
export const MAX_FAILURES = 40;

export function NeedsButton() {
  const { network_id = '', user } = account.value ?? {};
  const n = needs.value?.length ?? 0;
  useEffect(
    () => (user === undefined || network_id === '' ? undefined : watchNeeds(network_id, user)),
    [network_id, user?.user_id],
  );
  useEffect(() => {
    titleCount.value = n;
    markFavicon(n > 0);
  }, [n]);
  useEffect(() => () => void (titleCount.value = 0), []);
  // The overview loads the same failures itself.
  const isElsewhere = useLocation().path !== PATHS.overview;
  const { labelled, needsYou } = words.value;
  const label = labelled(needsYou.title, String(n));
  return (
    <>
      <a
        class="button button-quiet button-icon needs-button"
        href={`${PATHS.overview}#${NEEDS_ID}`}
        onClick={focusFirstNeed}
        aria-label={label}
        title={label}
      >
        <Icon name="bell" />
        {n > 0 && <span class="needs-count">{shortCount(n)}</span>}
      </a>
      {isElsewhere && (taskCounts.value?.failed ?? 0) > 0 && <Failures key={`failed ${network_id}`} status="failed" />}
      {(taskCounts.value?.expired ?? 0) > 0 && <Failures key={`expired ${network_id}`} status="expired" />}
    </>
  );
}

/** Other pages have no panel yet. */
export function focusFirstNeed(): void {
  const row = document.querySelector<HTMLElement>('.need .row-link');
  if (row === null) return;
  scrollTo({ top: 0 });
  row.focus();
}

/** Loads the newest failures into the cache of tasks. */
function Failures({ status }: { status: 'failed' | 'expired' }) {
  useTaskList({ status }, MAX_FAILURES);
  return null;
}
