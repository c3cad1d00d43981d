// Stores the id of the demo network in this browser until the demo is removed.
import { computed, signal } from '@preact/signals';
import { account } from '../account/account.ts';
import { loadNetworks } from '../live/load.ts';
import { readStored, removeStored, writeStored } from '../live/storage.ts';
import { networks } from '../live/store.ts';

const STORAGE_KEY = 'agenthub.demo.network';

export const demoNetworkId = signal(readStored('localStorage', STORAGE_KEY) ?? '');
/** The demo network, if the user has one. */
export const demoNetwork = computed(() => networks.value.find(({ network_id }) => network_id === demoNetworkId.value));
export const isDemoShown = computed(
  () => demoNetwork.value !== undefined && demoNetwork.value.network_id === account.value?.network_id,
);
/** The first network that is not the demo. */
export const ownNetwork = computed(() => networks.value.find(({ network_id }) => network_id !== demoNetworkId.value));

/** Applies a demo started or removed in another tab to this tab. */
addEventListener('storage', ({ key, newValue }) => {
  if (key !== STORAGE_KEY) return;
  demoNetworkId.value = newValue ?? '';
  loadNetworks().catch(() => {});
});

export function storeDemoNetworkId(network_id: string): void {
  demoNetworkId.value = network_id;
  if (network_id === '') removeStored('localStorage', STORAGE_KEY);
  else writeStored('localStorage', STORAGE_KEY, network_id);
}
