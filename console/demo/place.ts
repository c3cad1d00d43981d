// Stores the id of the demo network in this browser until the demo is removed.
import { computed, signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { loadNetworks } from '../live/load.ts';
import { forget, keep, recall } from '../live/storage.ts';
import { networks } from '../live/store.ts';

const PLACE = 'agenthub.demo.network';

export const demoPlace = signal(recall('localStorage', PLACE) ?? '');
/** The demo network, if the user has one. */
export const demoNetwork = computed(() => networks.value.find(({ network_id }) => network_id === demoPlace.value));
export const isDemoShown = computed(
  () => demoNetwork.value !== undefined && demoNetwork.value.network_id === account.value?.network_id,
);
/** The first network that is not the demo. */
export const ownNetwork = computed(() => networks.value.find(({ network_id }) => network_id !== demoPlace.value));

/** Applies a demo started or removed in another tab to this tab. */
addEventListener('storage', ({ key, newValue }) => {
  if (key !== PLACE) return;
  demoPlace.value = newValue ?? '';
  loadNetworks().catch(() => {});
});

export function keepPlace(network_id: string): void {
  demoPlace.value = network_id;
  if (network_id === '') forget('localStorage', PLACE);
  else keep('localStorage', PLACE, network_id);
}
