// Follows the network of whoever is signed in: one stream shared by the tabs of this browser, opened,
// exchanged and closed as the account changes.
import { computed, effect, signal, untracked } from '@preact/signals';
import { account, chooseNetwork, endSession } from '../account/account.ts';
import type { Live, LiveState } from './event-stream.ts';
import { forgetNetwork, loadNetwork, loadNetworks, receive } from './load.ts';
import { withQuery } from './request.ts';
import { openShared } from './shared-stream.ts';
import { agents, liveState, network, networks } from './store.ts';

const stream = signal<Live | null>(null);

/** What a stream belongs to; a change of anything else in the account does not disturb it. */
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
    path: withQuery('/events', { network_id }),
    token,
    onOpen(resumed) {
      if (resumed) refreshNetworks();
      if (!resumed || agents.value === null) void loadNetwork();
    },
    onEvent: receive,
    onState: takeState,
    onUnauthorized: () => endSession('expired'),
    onForbidden: refreshNetworks,
  });
  return stream.value;
}

/** The network last watched may be gone, and who owns none is told none at sign-in: then it is the first one. */
function chooseOwnNetwork(): void {
  if (network.value === undefined) chooseNetwork(networks.value[0]?.network_id ?? '');
}

/**
 * The hub cuts the stream of whoever's membership changed: his role may be another now, or the network no longer his.
 */
function refreshNetworks(): void {
  loadNetworks().then(chooseOwnNetwork, () => {});
}

/** A hub whose stream cannot be had may still answer: what it says is shown, marked as not live. */
function takeState(state: LiveState): void {
  liveState.value = state;
  if ('retryAt' in state && agents.value === null) void loadNetwork();
}

export function reconnectNow(): void {
  stream.value?.retryNow();
}
