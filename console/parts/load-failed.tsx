// Notices for failed requests with a retry button: for the first load of a page and for a list.
import { words } from '../i18n/language.ts';
import { loadNetwork } from '../live/load.ts';
import { loadFailed } from '../live/store.ts';
import { Notice } from './notice.tsx';

export function LoadFailed() {
  const { live } = words.value;
  if (!loadFailed.value) return null;
  return (
    <Notice tone="error">
      {live.failed}{' '}
      <button type="button" class="link" onClick={loadNetwork}>
        {live.retry}
      </button>
    </Notice>
  );
}

export function ListFailed({ onRetry }: { onRetry(): unknown }) {
  const { live } = words.value;
  return (
    <div class="panel-notice">
      <Notice tone="error">
        {live.listFailed}{' '}
        <button type="button" class="link" onClick={() => void onRetry()}>
          {live.retry}
        </button>
      </Notice>
    </div>
  );
}
