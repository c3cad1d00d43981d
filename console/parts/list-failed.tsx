// A list the hub did not answer with.
import { words } from '../i18n/language.ts';
import { Notice } from './notice.tsx';

export function ListFailed({ onRetry }: { onRetry(): unknown }) {
  const { live } = words.value;
  return (
    <div class="panel-notice">
      <Notice tone="error">
        {live.listFailed}{' '}
        <button type="button" class="link" onClick={() => void onRetry()}>{live.tryAgain}</button>
      </Notice>
    </div>
  );
}
