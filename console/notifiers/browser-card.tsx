// The card that turns notifications of the browser on and off.
import { words } from '../i18n/language.ts';
import { browserState, turnOff, turnOn } from '../needs-you/browser-notifications.ts';

export function BrowserCard() {
  const { notifiers: text } = words.value;
  const state = browserState.value;
  return (
    <section class="card" aria-labelledby="browser-title">
      <h2 id="browser-title">{text.browser}</h2>
      <p class="card-lead">{text.browserText}</p>
      <p role="status">{text.browserState[state]}</p>
      {state === 'off' && (
        <div>
          <button type="button" class="button" onClick={() => void turnOn()}>
            {text.turnOn}
          </button>
        </div>
      )}
      {state === 'on' && (
        <div>
          <button type="button" class="button" onClick={turnOff}>
            {text.turnOff}
          </button>
        </div>
      )}
    </section>
  );
}
