// Watches the network of the signed-in account: one stream, shared by the tabs of this browser, that opens, switches
// and closes with the account.
import { computed, effect, signal, untracked } from '@preact/signals';
import { account, chooseNetwork, endSession } from '../account/account.ts';
import { emitChange } from './changes.ts';
import type { Live, LiveState } from './event-stream.ts';
import { forgetNetwork, loadNetwork, loadNetworks, receive } from './load.ts';
import { withQuery } from './request.ts';
import { openShared } from './shared-stream.ts';
import { agents, liveState, network, networks } from './store.ts';

const stream = signal<Live | null>(null);

/** The stream depends only on these values. Other account changes do not restart it. */
const watched = computed(() => (account.value === null ? null : `${account.value.token} ${account.value.network_id}`));

export function startWatching(): void {
  effect(() => {
    if (watched.value === null) return;
    const live = untracked(watchAccount);
    return () => {
      live?.close();
      forgetNetwork();
    };
  });
}

function watchAccount(): Live | null {
  if (account.value === null) return null;
  const { token, network_id, user } = account.value;
  loadNetworks().then(chooseOwnNetwork, () => (networks.value = []));
  if (network_id === '') return null;
  stream.value = openShared({
    owner: `${user.user_id}.${network_id}`,
    path: withQuery('/events', { network_id, changes: 'true' }),
    token,
    onOpen(resumed) {
      if (resumed) refreshNetworks();
      emitChange(undefined);
      if (!resumed || agents.value === null) void loadNetwork();
    },
    onEvent: receive,
    onState: takeState,
    onUnauthorized: () => endSession('expired'),
    onForbidden: refreshNetworks,
  });
  return stream.value;
}

/**
 * The last network may be deleted, and sign-in returns no network to a user who owns none. Then the first one is used.
 */
function chooseOwnNetwork(): void {
  if (network.value === undefined) chooseNetwork(networks.value[0]?.network_id ?? '');
}

/**
 * The hub closes the stream of a user whose membership changed: their role may differ now, or they may have lost
 * access.
 */
function refreshNetworks(): void {
  loadNetworks().then(chooseOwnNetwork, () => {});
}

/** When the stream fails, the REST API may still work. Its data is shown and marked as not live. */
function takeState(state: LiveState): void {
  liveState.value = state;
  if ('retryAt' in state && agents.value === null) void loadNetwork();
}

export function reconnectNow(): void {
  stream.value?.retryNow();
}
