// The toast area. The live region is always in the document, so that screen readers announce new content.
import { words } from '../i18n/language.ts';
import { Icon, IconButton } from '../parts/icon.tsx';
import { dismissToast, keepToast, releaseToast, toast } from './toast.ts';

export function Toasts() {
  const shown = toast.value;
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown !== null && (
        <div
          class="toast"
          data-tone={shown.tone ?? 'good'}
          onMouseEnter={keepToast}
          onMouseLeave={releaseToast}
          onFocusIn={keepToast}
          onFocusOut={releaseToast}
        >
          <Icon name={shown.tone === 'warning' ? 'warning' : 'check'} />
          <p class="toast-text" dir="auto">
            {shown.text}
          </p>
          {shown.path !== undefined && (
            <a class="link" href={shown.path} onClick={dismissToast}>
              {shown.linkText}
            </a>
          )}
          {shown.run !== undefined && (
            <button
              type="button"
              class="link"
              onClick={() => {
                dismissToast();
                shown.run?.();
              }}
            >
              {shown.linkText}
            </button>
          )}
          <IconButton icon="close" label={words.value.common.close} isSmall onClick={dismissToast} />
        </div>
      )}
    </div>
  );
}
