// Stores the newest addresses from which each user has logged in. An IPv6 address counts as its /64.
import { MAX_SIGN_INS } from '../domain/limits.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

export async function isKnown(reader: Reader, userId: string, address: string): Promise<boolean> {
  return (
    (await reader.first('SELECT 1 FROM sign_ins WHERE user_id = ? AND address = ?', [userId, address])) !== undefined
  );
}

/** Stores the address. Above MAX_SIGN_INS, the least recently used ones are deleted. */
export async function mark(tx: Transaction, userId: string, address: string): Promise<void> {
  await tx.run(
    'INSERT INTO sign_ins (user_id, address, last_at) VALUES (?, ?, ?) ON CONFLICT (user_id, address) DO UPDATE SET last_at = excluded.last_at',
    [userId, address, tx.now],
  );
  await tx.run(
    `DELETE FROM sign_ins WHERE user_id = ? AND address NOT IN
       (SELECT address FROM sign_ins WHERE user_id = ? ORDER BY last_at DESC, address DESC LIMIT ?)`,
    [userId, userId, MAX_SIGN_INS],
  );
}
