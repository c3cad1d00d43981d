// The root component: selects the page for the current address and requires sign-in where needed.
import { useEffect, useErrorBoundary } from 'preact/hooks';
import lazy from 'preact-iso/lazy';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { account, endReason, inviteCode, isNewcomer } from './account/account.ts';
import { SignIn } from './account/sign-in-page.tsx';
import { announcement } from './frame/announcements.ts';
import { Broken, Missing, Unloadable } from './frame/error-pages.tsx';
import { Shell } from './frame/shell.tsx';
import { health } from './live/api.ts';
import { withQuery } from './live/request.ts';
import OverviewPage from './overview/overview-page.tsx';
import { nextPath, PATHS, ROUTES, type RouteRow, signInPath } from './routes.ts';

// The first page is in one bundle with what other pages share with it, which compresses better than two.
const LATER_PAGES = ROUTES.flatMap(({ path, page }) => (page ? [{ path, page, component: lazyPage(page) }] : []));
const PAGES = [{ path: PATHS.overview, component: OverviewPage }, ...LATER_PAGES];

/** A page module that fails to load belongs to a different version of the hub, or the hub is unreachable. */
function lazyPage(page: NonNullable<RouteRow['page']>) {
  return lazy(() => page().catch(() => ({ default: Unloadable })));
}

/**
 * Preloads the other pages after the first one has rendered, so that navigation is instant and works without a
 * connection. A page that fails to preload is requested again on navigation.
 */
export function preloadPages(): void {
  for (const { page, component } of LATER_PAGES)
    page().then(
      () => component.preload(),
      () => {},
    );
}

export function App() {
  const [broken] = useErrorBoundary((error: unknown) => console.error(error));
  if (broken !== undefined) return <Broken />;
  return (
    <LocationProvider>
      {account.value === null ? <SignedOut /> : <SignedIn />}
      {/* Announces changes to screen readers. */}
      <p class="visually-hidden" role="status" aria-live="polite">
        {announcement}
      </p>
    </LocationProvider>
  );
}

/** Without an account only the sign-in page is available. It has its own address and remembers the requested page. */
function SignedOut() {
  const { path, url, route } = useLocation();
  const isSignInPage = path === PATHS.signIn || path === PATHS.signUp;
  useEffect(() => {
    if (!isSignInPage) void entryPath().then((entry) => route(signInPath(entry, url), true));
  }, [isSignInPage]);
  return isSignInPage ? <SignIn creating={path === PATHS.signUp} /> : null;
}

/** A hub without users cannot sign anybody in, and invited users rarely have an account. */
async function entryPath(): Promise<string> {
  if (endReason.value !== null) return PATHS.signIn;
  const hub = await health().catch(() => undefined);
  const isFirst = hub?.setup === 'open' || hub?.setup === 'token';
  const isInvited = inviteCode.value !== '' && hub !== undefined && hub.registration !== 'closed';
  return isFirst || isInvited ? PATHS.signUp : PATHS.signIn;
}

function SignedIn() {
  const { path, query, route } = useLocation();
  const isSignInPage = path === PATHS.signIn || path === PATHS.signUp;
  useEffect(() => {
    if (isSignInPage) route(firstPath(query['next']), true);
  }, [isSignInPage]);
  return isSignInPage ? null : (
    <Shell>
      <Router onRouteChange={focusTop}>
        {PAGES.map(({ path: each, component }) => (
          <Route key={each} path={each} component={component} />
        ))}
        <Route default component={Missing} />
      </Router>
    </Shell>
  );
}

/**
 * After sign-in: an invite opens the join page, a new registration opens the connect page, and any other sign-in opens
 * the requested page.
 */
function firstPath(next: string | undefined): string {
  if (inviteCode.value !== '') return withQuery(PATHS.networks, { dialog: 'join' });
  return isNewcomer.value ? PATHS.connect : nextPath(next);
}

/** Moves the focus to the start of the new page for screen reader users. */
function focusTop(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}
