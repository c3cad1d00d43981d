// Loads the data of the network page: statistics, members and, for the owner, invites.
import { useComputed } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { account } from '../account/account.ts';
import {
  type InviteRecord,
  listInvites,
  listMembers,
  type MemberRecord,
  type ShownNetwork,
  showNetwork,
} from '../live/api.ts';
import { type Listing, loadPages, useListing } from '../live/listing.ts';

const keyOfShown = ({ network }: ShownNetwork) => network.network_id;
const keyOfMember = ({ user_id }: MemberRecord) => user_id;
const keyOfInvite = ({ invite_id }: InviteRecord) => invite_id;

/** `shown` is null until the network is loaded; `failed` when loading failed. */
export function useNetwork(network_id: string) {
  const listing = useListing(network_id, keyOfShown, async () => ({
    rows: [await showNetwork(network_id)],
    next: undefined,
  }));
  const shown = useComputed(() => listing.rows.value?.[0] ?? null);
  return { shown, failed: listing.failed, load: listing.load };
}

export function useMembers(network_id: string): Listing<MemberRecord> {
  return useListing(
    network_id,
    keyOfMember,
    (cursor) =>
      loadPages(cursor, async (query) => {
        const { members, next_cursor } = await listMembers(network_id, query);
        return { rows: members, next: next_cursor };
      }),
    (change) => change.what === 'members' && change.network_id === network_id,
  );
}

export function useInvites(network_id: string): Listing<InviteRecord> {
  return useListing(
    network_id,
    keyOfInvite,
    async (cursor) => {
      const { invites, next_cursor } = await listInvites(network_id, { cursor });
      return { rows: invites, next: next_cursor };
    },
    (change) => change.what === 'invites' && change.network_id === network_id,
  );
}

export type OpenNetwork = { network: ShownNetwork['network']; isOwner: boolean; reload(): Promise<void> };

/** The network of the open page, for its components. */
export const NetworkContext = createContext<OpenNetwork | null>(null);

export function useOpenNetwork(): OpenNetwork {
  const open = useContext(NetworkContext);
  if (open === null) throw new Error('useOpenNetwork is called outside of a network page');
  return open;
}

export function isMe(user_id: string): boolean {
  return account.value?.user.user_id === user_id;
}
