// Stores networks. A removed network is no longer found, even while its rows are still being deleted.
import type { Network, NetworkRole } from '../domain/network.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listOldest, type Page } from './lists/newest.ts';
import * as members from './members.ts';

const COLUMNS = [
  'network_id',
  'network_name',
  'owner_id',
  'visibility',
  'max_members',
  'description',
  'created_at',
  'trial_ends_at',
] as const satisfies readonly (keyof Network)[];

export function find(reader: Reader, networkId: string): Promise<Network | undefined> {
  return reader.first(`SELECT ${COLUMNS.join(', ')} FROM networks WHERE network_id = ? AND removed_at IS NULL`, [
    networkId,
  ]);
}

/** Finds at most two networks by name, enough to detect an ambiguous name. */
export function findByName(reader: Reader, name: string): Promise<Network[]> {
  return reader.all(
    `SELECT ${COLUMNS.join(', ')} FROM networks WHERE network_name = ? AND removed_at IS NULL ORDER BY network_seq LIMIT 2`,
    [name],
  );
}

export type NetworkOverview = Network & { owner: string; members: number; sessions: number; tasks: number };

const SELECTED = COLUMNS.map((column) => `n.${column}`).join(', ');

const COUNTED = `(SELECT count(*) FROM members c WHERE c.network_id = n.network_id) AS members,
  coalesce((SELECT c.sessions FROM session_counts c WHERE c.network_seq = n.network_seq), 0) AS sessions,
  coalesce((SELECT sum(c.tasks) FROM task_counts c WHERE c.network_seq = n.network_seq), 0) AS tasks`;

export async function getOverview(reader: Reader, networkId: string): Promise<NetworkOverview> {
  const network = await reader.first<NetworkOverview>(
    `SELECT ${SELECTED}, u.username AS owner, ${COUNTED} FROM networks n JOIN users u ON u.user_id = n.owner_id WHERE n.network_id = ?`,
    [networkId],
    'task_counts',
  );
  if (network === undefined) throw new Error(`network ${networkId} does not exist`);
  return network;
}

/** Lists all networks in creation order, with counts of their contents. */
export function listAll(reader: Reader, page: Page): Promise<(NetworkOverview & { seq: number })[]> {
  return listOldest(
    reader,
    {
      select: `${SELECTED}, u.username AS owner, ${COUNTED}`,
      from: 'networks n JOIN users u ON u.user_id = n.owner_id',
      network: undefined,
      sequence: 'n.network_seq',
      where: [['n.removed_at IS NULL AND 1 = ?', 1]],
      counters: ['task_counts'],
    },
    page,
  );
}

/** Lists the user's networks in the order they joined, with their role in each. */
export function listOfUser(
  reader: Reader,
  userId: string,
  page: Page,
): Promise<(Network & { member_role: NetworkRole; seq: number })[]> {
  return listOldest(
    reader,
    {
      select: `${SELECTED}, m.role AS member_role`,
      from: 'members m JOIN networks n ON n.network_id = m.network_id',
      network: undefined,
      sequence: 'm.member_seq',
      where: [
        ['m.user_id = ?', userId],
        ['n.removed_at IS NULL AND 1 = ?', 1],
      ],
    },
    page,
  );
}

/** Counts the networks the user owns, up to `most`. */
export async function countOwned(reader: Reader, userId: string, most: number): Promise<number> {
  return (await reader.all('SELECT 1 FROM networks WHERE owner_id = ? AND removed_at IS NULL LIMIT ?', [userId, most]))
    .length;
}

/** Lists the networks the user owns, in creation order. */
export function listOwned(reader: Reader, userId: string): Promise<Network[]> {
  return reader.all(
    `SELECT ${COLUMNS.join(', ')} FROM networks WHERE owner_id = ? AND removed_at IS NULL ORDER BY network_seq`,
    [userId],
  );
}

/** Finds the first network the user owns; undefined if none is left. */
export async function findFirstOwned(reader: Reader, userId: string): Promise<string | undefined> {
  const owned = await reader.first<{ network_id: string }>(
    'SELECT network_id FROM networks WHERE owner_id = ? AND removed_at IS NULL ORDER BY network_seq LIMIT 1',
    [userId],
  );
  return owned?.network_id;
}

/** Lists the networks of the hub after number `after`, in creation order. */
export function listAfter(
  reader: Reader,
  after: number,
  limit: number,
): Promise<{ network_id: string; seq: number }[]> {
  return reader.all(
    'SELECT network_id, network_seq AS seq FROM networks WHERE network_seq > ? AND removed_at IS NULL ORDER BY network_seq LIMIT ?',
    [after, limit],
  );
}

/** Stores the network and adds its owner as a member. */
export async function insert(tx: Transaction, network: Omit<Network, 'created_at' | 'visibility'>): Promise<void> {
  await tx.run(
    `INSERT INTO networks (network_id, network_name, owner_id, max_members, description, created_at, trial_ends_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      network.network_id,
      network.network_name,
      network.owner_id,
      network.max_members,
      network.description,
      tx.now,
      network.trial_ends_at,
    ],
    'networks',
  );
  await members.insert(tx, network.network_id, network.owner_id, 'owner');
}

export async function update(
  tx: Transaction,
  network: Pick<Network, 'network_id' | 'network_name' | 'description' | 'max_members'>,
): Promise<void> {
  await tx.run('UPDATE networks SET network_name = ?, description = ?, max_members = ? WHERE network_id = ?', [
    network.network_name,
    network.description,
    network.max_members,
    network.network_id,
  ]);
}

/** Makes a user the owner, as a new member if they are not one. The previous owner stays as a member. */
export async function markOwner(
  tx: Transaction,
  { network_id, owner_id }: Pick<Network, 'network_id' | 'owner_id'>,
  userId: string,
): Promise<void> {
  await members.markRole(tx, network_id, owner_id, 'member');
  if ((await members.findRole(tx, network_id, userId)) === undefined)
    await members.insert(tx, network_id, userId, 'owner');
  else await members.markRole(tx, network_id, userId, 'owner');
  await tx.run('UPDATE networks SET owner_id = ? WHERE network_id = ?', [userId, network_id]);
}

/** Returns false if the network does not exist. */
export async function markTrialEnd(tx: Transaction, networkId: string, endsAt: Millis | null): Promise<boolean> {
  const { changes } = await tx.run(
    'UPDATE networks SET trial_ends_at = ? WHERE network_id = ?',
    [endsAt, networkId],
    'rights',
  );
  return changes === 1;
}
