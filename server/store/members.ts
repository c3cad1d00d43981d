// Stores the members of networks and their roles. A network has exactly one owner.
import type { Membership } from '../domain/accounts/caller.ts';
import type { NetworkRole } from '../domain/network.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, type Page } from './lists/newest.ts';

export type Member = { user_id: string; username: string; display_name: string; role: NetworkRole; joined_at: Millis };

export async function findRole(reader: Reader, networkId: string, userId: string): Promise<NetworkRole | undefined> {
  const member = await reader.first<{ role: NetworkRole }>(
    'SELECT role FROM members WHERE network_id = ? AND user_id = ?',
    [networkId, userId],
  );
  return member?.role;
}

export function list(reader: Reader, page: Page): Promise<(Member & { seq: number })[]> {
  return listNewest(
    reader,
    {
      select: 'm.user_id, u.username, u.display_name, m.role, m.joined_at',
      from: 'members m JOIN users u ON u.user_id = m.user_id',
      network: { id: 'm.network_id' },
      sequence: 'm.member_seq',
    },
    page,
  );
}

/** Lists the user's memberships in the order they joined. */
export function listOfUser(reader: Reader, userId: string): Promise<Membership[]> {
  return reader.all(
    `SELECT m.network_id, m.role, n.trial_ends_at FROM members m JOIN networks n ON n.network_id = m.network_id
     WHERE m.user_id = ? AND n.removed_at IS NULL ORDER BY m.member_seq`,
    [userId],
  );
}

export async function count(reader: Reader, networkId: string): Promise<number> {
  const found = await reader.first<{ count: number }>('SELECT count(*) AS count FROM members WHERE network_id = ?', [
    networkId,
  ]);
  return found?.count ?? 0;
}

/** Counts the networks the user belongs to, at most `most`. */
export async function countOfUser(reader: Reader, userId: string, most: number): Promise<number> {
  return (await reader.all('SELECT 1 FROM members WHERE user_id = ? LIMIT ?', [userId, most])).length;
}

export async function insert(tx: Transaction, networkId: string, userId: string, role: NetworkRole): Promise<void> {
  await tx.run(
    'INSERT INTO members (network_id, user_id, role, joined_at) VALUES (?, ?, ?, ?)',
    [networkId, userId, role, tx.now],
    'rights',
  );
}

export async function markRole(tx: Transaction, networkId: string, userId: string, role: NetworkRole): Promise<void> {
  await tx.run('UPDATE members SET role = ? WHERE network_id = ? AND user_id = ?', [role, networkId, userId], 'rights');
}

/** Removes the member and their tokens for this network. */
export async function remove(tx: Transaction, networkId: string, userId: string): Promise<void> {
  await tx.run('DELETE FROM tokens WHERE network_id = ? AND user_id = ?', [networkId, userId], 'rights');
  await tx.run('DELETE FROM members WHERE network_id = ? AND user_id = ?', [networkId, userId], 'rights');
}
