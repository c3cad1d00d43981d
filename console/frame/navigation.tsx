// The main navigation, built from the route table: a side column, or a bottom bar on phones.
import { exec, useLocation } from 'preact-iso/router';
import { account } from '../account/account.ts';
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { type PageName, ROUTES, type RouteRow } from '../routes.ts';

const MORE = 'more-pages';

export function Navigation() {
  const here = useCurrentPage();
  const { frame } = words.value;
  const shown = navigable();
  const isMore = shown.some(({ name, nav }) => nav === 'more' && name === here);
  return (
    <nav class="navigation" aria-label={frame.pages}>
      <Links rows={shown.filter(({ nav }) => nav === 'main')} here={here} />
      <button
        type="button"
        class="navigation-link navigation-more"
        popovertarget={MORE}
        aria-current={isMore ? 'true' : undefined}
      >
        <Icon name="more" />
        {frame.more}
      </button>
      <div class="navigation-popover" id={MORE} popover="auto" onClick={closeMore}>
        <Links rows={shown.filter(({ nav }) => nav === 'more')} here={here} />
      </div>
    </nav>
  );
}

/** On a wide screen, the other pages come last, so that the Tab key reaches the content of the page sooner. */
export function MorePages() {
  const here = useCurrentPage();
  return (
    <nav class="navigation-column" aria-label={words.value.frame.morePages}>
      <Links rows={navigable().filter(({ nav }) => nav === 'more')} here={here} />
    </nav>
  );
}

/** The pages this user sees in the navigation, the palette and the keyboard shortcuts. */
export function navigable(): RouteRow[] {
  return ROUTES.filter(
    ({ nav, only }) => nav !== undefined && (only === undefined || account.value?.user.role === only),
  );
}

/** The navigation entry of the current address. */
function useCurrentPage(): PageName | undefined {
  const { path } = useLocation();
  const row = ROUTES.find((each) => exec(path, each.path) !== undefined);
  return row?.under ?? row?.name;
}

function Links({ rows, here }: { rows: readonly RouteRow[]; here: PageName | undefined }) {
  return (
    <ul class="navigation-links">
      {rows.map(({ name, path, icon }) => (
        <li key={name}>
          <a class="navigation-link" href={path} aria-current={name === here ? 'page' : undefined}>
            {icon !== undefined && <Icon name={icon} />}
            {words.value.pages[name]}
          </a>
        </li>
      ))}
    </ul>
  );
}

function closeMore(): void {
  document.getElementById(MORE)?.hidePopover();
}
