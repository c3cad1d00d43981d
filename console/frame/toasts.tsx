// The corner where what was just done is said. It is a live region that is always there, so that what comes into it is
// heard.
import { words } from '../i18n/language.ts';
import { Icon } from '../parts/icon.tsx';
import { dismissToast, keepToast, letGo, toast } from './toast.ts';

export function Toasts() {
  const shown = toast.value;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown !== null && (
        <div
          class="toast"
          data-tone={shown.tone ?? 'good'}
          onMouseEnter={keepToast}
          onMouseLeave={letGo}
          onFocusIn={keepToast}
          onFocusOut={letGo}
        >
          <Icon name={shown.tone === 'warning' ? 'warning' : 'check'} />
          <p class="toast-text" dir="auto">
            {shown.text}
          </p>
          {shown.path !== undefined && (
            <a class="link" href={shown.path} onClick={dismissToast}>
              {shown.act}
            </a>
          )}
          <button
            type="button"
            class="button button-quiet button-icon button-small"
            aria-label={words.value.send.cancel}
            onClick={dismissToast}
          >
            <Icon name="close" />
          </button>
        </div>
      )}
    </div>
  );
}
