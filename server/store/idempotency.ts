// Stores the first result for each idempotency_key of each token.
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';

export type FirstAnswer = { call_hash: string; answer: string; created_at: Millis };

export function find(reader: Reader, tokenId: string, key: string): Promise<FirstAnswer | undefined> {
  return reader.first(
    'SELECT call_hash, answer, created_at FROM idempotency WHERE token_id = ? AND idempotency_key = ?',
    [tokenId, key],
  );
}

/** Stores the result, replacing an expired one. */
export async function store(
  tx: Transaction,
  tokenId: string,
  key: string,
  callHash: string,
  answer: string,
): Promise<void> {
  await tx.run(
    `INSERT INTO idempotency (token_id, idempotency_key, call_hash, answer, created_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (token_id, idempotency_key) DO UPDATE SET call_hash = excluded.call_hash, answer = excluded.answer,
       created_at = excluded.created_at`,
    [tokenId, key, callHash, answer, tx.now],
  );
}

/** Deletes at most `limit` results from before `cutoff`. Returns their number. */
export async function removeBefore(tx: Transaction, cutoff: Millis, limit: number): Promise<number> {
  const { changes } = await tx.run(
    `DELETE FROM idempotency WHERE (token_id, idempotency_key) IN
       (SELECT token_id, idempotency_key FROM idempotency WHERE created_at < ? ORDER BY created_at LIMIT ?)`,
    [cutoff, limit],
  );
  return changes;
}
