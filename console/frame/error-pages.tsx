// Error pages: unknown address, page that failed to load, page that crashed.
import { words } from '../i18n/language.ts';
import { PATHS } from '../routes.ts';

export function Missing() {
  const { frame } = words.value;
  return (
    <div class="error-page">
      <h1>{frame.notFoundTitle}</h1>
      <p>{frame.notFoundText}</p>
      <a class="button button-primary" href={PATHS.overview}>
        {frame.toOverview}
      </a>
    </div>
  );
}

export function Unloadable() {
  const { frame } = words.value;
  return (
    <div class="error-page">
      <h1>{frame.loadFailedTitle}</h1>
      <p>{frame.loadFailedText}</p>
      <Reload />
    </div>
  );
}

export function Broken() {
  const { frame } = words.value;
  return (
    <main class="error-page">
      <h1>{frame.crashTitle}</h1>
      <p>{frame.crashText}</p>
      <Reload />
    </main>
  );
}

function Reload() {
  return (
    <button type="button" class="button button-primary" onClick={() => location.reload()}>
      {words.value.frame.reload}
    </button>
  );
}
