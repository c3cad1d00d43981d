// Stores invites. Only the hash of a code is stored.
import type { Invite } from '../domain/accounts/invite.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, type Page } from './lists/newest.ts';

const SELECTED = 'invite_id, network_id, role, max_uses, uses, created_at, expires_at';

export function findByHash(reader: Reader, hash: string): Promise<Invite | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM invites WHERE code_hash = ?`, [hash]);
}

export function list(reader: Reader, page: Page): Promise<(Invite & { seq: number })[]> {
  return listNewest(
    reader,
    { select: SELECTED, from: 'invites', network: { id: 'network_id' }, sequence: 'invite_seq' },
    page,
  );
}

export async function insert(
  tx: Transaction,
  invite: Omit<Invite, 'uses' | 'created_at'> & { hash: string },
): Promise<void> {
  await tx.run(
    'INSERT INTO invites (invite_id, code_hash, network_id, role, max_uses, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    [invite.invite_id, invite.hash, invite.network_id, invite.role, invite.max_uses, tx.now, invite.expires_at],
  );
}

/** Counts the usable invites of a network, up to `most`. */
export async function countOpen(reader: Reader, networkId: string, most: number): Promise<number> {
  const open = await reader.all(
    'SELECT 1 FROM invites WHERE network_id = ? AND uses < max_uses AND expires_at > ? LIMIT ?',
    [networkId, reader.now, most],
  );
  return open.length;
}

/** Counts the invites of a network, up to `most`. */
export async function count(reader: Reader, networkId: string, most: number): Promise<number> {
  return (await reader.all('SELECT 1 FROM invites WHERE network_id = ? LIMIT ?', [networkId, most])).length;
}

/** Removes used-up and expired invites. */
export async function removeClosed(tx: Transaction, networkId: string): Promise<void> {
  await tx.run('DELETE FROM invites WHERE network_id = ? AND (uses >= max_uses OR expires_at <= ?)', [
    networkId,
    tx.now,
  ]);
}

/** Counts one use. The caller has checked in the same transaction that one is left; the schema rejects any more. */
export async function use(tx: Transaction, inviteId: string): Promise<void> {
  await tx.run('UPDATE invites SET uses = uses + 1 WHERE invite_id = ?', [inviteId]);
}

/** Returns false if the network has no such invite. */
export async function remove(tx: Transaction, networkId: string, inviteId: string): Promise<boolean> {
  const { changes } = await tx.run('DELETE FROM invites WHERE network_id = ? AND invite_id = ?', [networkId, inviteId]);
  return changes === 1;
}
