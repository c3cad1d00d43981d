// The connection state: a label in the top bar, and a banner when the page may show stale data.
import { useSignalEffect } from '@preact/signals';
import { language, words } from '../i18n/language.ts';
import { now } from '../live/clock.ts';
import { freshAt, isStale, liveState } from '../live/store.ts';
import { reconnectNow } from '../live/watch.ts';
import { timeOfDay } from '../parts/format.ts';
import { Icon } from '../parts/icon.tsx';
import { announce } from './announcements.ts';

export function ConnectionState() {
  useSignalEffect(() => announce(words.value.live.state[liveState.value.state]));
  const { state } = liveState.value;
  return (
    <span class="connection" data-state={state}>
      <span class="dot" />
      {words.value.live.state[state]}
    </span>
  );
}

export function ConnectionBanner() {
  const { live } = words.value;
  if (!isStale.value) return null;
  return (
    <section class="banner" data-state={liveState.value.state} aria-label={live.title}>
      <Icon name="warning" />
      <p>
        {live.disconnected} {freshAt.value !== null && live.asOf(timeOfDay(freshAt.value, language.value))} <NextTry />
      </p>
      <button type="button" class="button button-small" onClick={reconnectNow}>
        {live.retryNow}
      </button>
    </section>
  );
}

function NextTry() {
  const state = liveState.value;
  const seconds = 'retryAt' in state ? Math.ceil((state.retryAt - now.value) / 1_000) : 0;
  return <span class="banner-next">{words.value.live.nextRetry(seconds)}</span>;
}
