// Error pages: unknown address, page that failed to load, page that crashed.
import { words } from '../i18n/language.ts';
import { PATHS } from '../routes.ts';

export function Missing() {
  const { frame } = words.value;
  return (
    <div class="message-page">
      <h1>{frame.missingTitle}</h1>
      <p>{frame.missingText}</p>
      <a class="button button-primary" href={PATHS.overview}>
        {frame.toOverview}
      </a>
    </div>
  );
}

export function Unloadable() {
  const { frame } = words.value;
  return (
    <div class="message-page">
      <h1>{frame.unloadableTitle}</h1>
      <p>{frame.unloadableText}</p>
      <Reload />
    </div>
  );
}

export function Broken() {
  const { frame } = words.value;
  return (
    <main class="message-page">
      <h1>{frame.brokenTitle}</h1>
      <p>{frame.brokenText}</p>
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
