// The frame of the console: which page stands at the present address, and who may see it.
import type { ComponentChildren } from 'preact';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router';
import { account, endReason, freshToken } from './account.ts';
import { health } from './api.ts';
import { words } from './i18n/language.ts';
import { Connect } from './pages/connect.tsx';
import { LivePage } from './pages/live.tsx';
import { Missing } from './pages/missing.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Announcer } from './parts/announcer.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { nextPath, PATHS, signInPath } from './routes.ts';

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

/** A hub without users has nobody to sign in. */
async function doorOfThisHub(): Promise<string> {
  if (endReason.value !== null) return PATHS.signIn;
  const setup = await health().then((answer) => answer.setup, () => undefined);
  return setup === 'open' || setup === 'token' ? PATHS.signUp : PATHS.signIn;
}

function Inside() {
  const { path, query, route } = useLocation();
  const atTheDoor = path === PATHS.signIn || path === PATHS.signUp;
  useEffect(() => {
    if (atTheDoor) route(freshToken.value === null ? nextPath(query['next']) : PATHS.connect, true);
  }, [atTheDoor]);
  return atTheDoor ? null : (
    <Framed>
      <Router>
        <Route path={PATHS.live} component={LivePage} />
        <Route path={PATHS.connect} component={Connect} />
        <Route default component={Missing} />
      </Router>
    </Framed>
  );
}

function Framed({ children }: { children: ComponentChildren }) {
  return (
    <>
      <a class="skip" href="#content">{words.value.frame.skip}</a>
      <TopBar />
      <main id="content" tabIndex={-1}>{children}</main>
    </>
  );
}

function Broken() {
  const { frame } = words.value;
  return (
    <main class="message-page">
      <h1>{frame.brokenTitle}</h1>
      <p>{frame.brokenText}</p>
      <button type="button" class="button button-primary" onClick={() => location.reload()}>{frame.reload}</button>
    </main>
  );
}
