// The link in the top bar with the number of needs. While it is rendered, the list of needs is kept current, and the
// tab title and the favicon show the number.
import { useEffect } from 'preact/hooks';
import { account } from '../account/account.ts';
import { shortCount, titleCount } from '../frame/title.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { PATHS } from '../routes.ts';
import { markFavicon } from './favicon.ts';
import { focusFirstNeed, NEEDS_ID, needsTotal } from './shown-needs.ts';
import { watchNeeds } from './watch-needs.ts';

export function NeedsButton() {
  const { network_id = '', user } = account.value ?? {};
  const total = needsTotal.value;
  const n = total ?? 0;
  useEffect(
    () => (user === undefined || network_id === '' ? undefined : watchNeeds(network_id, user)),
    [network_id, user?.user_id],
  );
  useEffect(() => {
    titleCount.value = n;
    markFavicon(n > 0);
  }, [n]);
  useEffect(() => () => void (titleCount.value = 0), []);
  const { labelled, needsYou } = words.value;
  const label = total === null ? needsYou.title : labelled(needsYou.title, String(n));
  return (
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
  );
}
