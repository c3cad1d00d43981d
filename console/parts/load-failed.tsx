// The hub did not answer when the page first asked; what to do about it.
import { words } from '../i18n/language.ts';
import { loadNetwork } from '../load.ts';
import { loadFailed } from '../store.ts';
import { Notice } from './notice.tsx';

export function LoadFailed() {
  const { live } = words.value;
  if (!loadFailed.value) return null;
  return (
    <Notice tone="error">
      {live.failed}{' '}
      <button type="button" class="link" onClick={loadNetwork}>{live.tryAgain}</button>
    </Notice>
  );
}
