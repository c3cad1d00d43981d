// The frame of the console: which page stands at the present address, and who may see it.

import { useEffect, useErrorBoundary } from 'preact/hooks';
import lazy from 'preact-iso/lazy';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { account, endReason, inviteCode, isNewcomer } from './account/account.ts';
import { SignIn } from './account/sign-in-page.tsx';
import { Announcer } from './frame/announcer.tsx';
import { Broken, Missing, Unloadable } from './frame/missing-page.tsx';
import { Shell } from './frame/shell.tsx';
import { health } from './live/api.ts';
import { withQuery } from './live/request.ts';
import { nextPath, PATHS, ROUTES, type RouteRow, signInPath } from './routes.ts';

const PAGES = ROUTES.map(({ path, page }) => ({ path, page, component: lazyPage(page) }));

/** A page that cannot be had any more belongs to a hub of another version, or of none. */
function lazyPage(page: RouteRow['page']) {
  return lazy(() => page().catch(() => ({ default: Unloadable })));
}

/**
 * Once the first page stands, the others are fetched, so that going there takes no time and needs no connection. One
 * that does not come now is asked for again by whoever goes there.
 */
export function preloadPages(): void {
  for (const { page, component } of PAGES)
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
      {account.value === null ? <Outside /> : <Inside />}
      <Announcer />
    </LocationProvider>
  );
}

/** Without an account there is one page; it stands at its own address, and remembers the one that was asked for. */
function Outside() {
  const { path, url, route } = useLocation();
  const atTheDoor = path === PATHS.signIn || path === PATHS.signUp;
  useEffect(() => {
    if (!atTheDoor) void doorOfThisHub().then((door) => route(signInPath(door, url), true));
  }, [atTheDoor]);
  return atTheDoor ? <SignIn creating={path === PATHS.signUp} /> : null;
}

/** A hub without users has nobody to sign in, and whom somebody invites seldom has an account. */
async function doorOfThisHub(): Promise<string> {
  if (endReason.value !== null) return PATHS.signIn;
  const hub = await health().catch(() => undefined);
  const isFirst = hub?.setup === 'open' || hub?.setup === 'token';
  const isInvited = inviteCode.value !== '' && hub !== undefined && hub.registration !== 'closed';
  return isFirst || isInvited ? PATHS.signUp : PATHS.signIn;
}

function Inside() {
  const { path, query, route } = useLocation();
  const atTheDoor = path === PATHS.signIn || path === PATHS.signUp;
  useEffect(() => {
    if (atTheDoor) route(firstPath(query['next']), true);
  }, [atTheDoor]);
  return atTheDoor ? null : (
    <Shell>
      <Router onRouteChange={toTheTop}>
        {PAGES.map(({ path: each, component }) => (
          <Route key={each} path={each} component={component} />
        ))}
        <Route default component={Missing} />
      </Router>
    </Shell>
  );
}

/**
 * Who came by an invite goes on to it, who has just registered connects an agent, everybody else goes where they were
 * going.
 */
function firstPath(next: string | undefined): string {
  if (inviteCode.value !== '') return withQuery(PATHS.networks, { dialog: 'join' });
  return isNewcomer.value ? PATHS.connect : nextPath(next);
}

/** Who listens instead of looks is put where the new page begins. */
function toTheTop(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}
