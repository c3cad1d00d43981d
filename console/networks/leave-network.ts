// Switches to another network after the user has left or deleted the current one.
import { account, chooseNetwork } from '../account/account.ts';
import { loadNetworks } from '../live/load.ts';
import { networks } from '../live/store.ts';

export async function leaveNetwork(network_id: string): Promise<void> {
  await loadNetworks();
  if (account.value?.network_id === network_id) chooseNetwork(networks.value[0]?.network_id ?? '');
}
