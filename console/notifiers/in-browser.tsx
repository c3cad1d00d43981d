// Turns notifications of the browser on and off.
import { words } from '../i18n/language.ts';
import { browserState, turnOff, turnOn } from '../needs-you/browser-notifications.ts';

export function InBrowser() {
  const { notifiers: text } = words.value;
  const state = browserState.value;
  return (
    <section class="panel" aria-labelledby="browser-title">
      <header class="panel-head">
        <h2 id="browser-title">{text.browser}</h2>
        <span class="spacer" />
        {state === 'off' && (
          <button type="button" class="button button-small" onClick={() => void turnOn()}>
            {text.turnOn}
          </button>
        )}
        {state === 'on' && (
          <button type="button" class="button button-small" onClick={turnOff}>
            {text.turnOff}
          </button>
        )}
      </header>
      <p class="panel-text">{text.browserText}</p>
      <p class="panel-text" role="status">
        {text.browserState[state]}
      </p>
    </section>
  );
}
