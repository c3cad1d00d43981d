// Wraps every send: with an idempotency key, a repeated call does nothing and returns the first result; the loop guard
// stops an agent that keeps sending the same message.
import { hash } from 'node:crypto';
import type { NetworkWriter } from '../../domain/accounts/caller.ts';
import { duplicateSend, idempotencyConflict } from '../../domain/errors.ts';
import { DUPLICATE_SENDS, IDEMPOTENCY_KEPT_MS } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as idempotency from '../../store/idempotency.ts';

export type Send = {
  /** The operation and its whole input, which a repeated call must match. */
  operation: string;
  input: { idempotency_key?: string | undefined };
  /** The fields that make two sends identical to the loop guard. */
  from: string;
  to: string;
  text: string;
  /** Whether it changes nothing but the inbox of the recipient. */
  isDelivery?: true;
};

/** Runs `work` in a write transaction, unless this call already succeeded. Failures are not stored. */
export function sendOnce<Answer extends object>(
  hub: Hub,
  store: ScopedStore,
  caller: NetworkWriter,
  send: Send,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const key = send.input.idempotency_key;
  const concerns = send.isDelivery && concernsOf(caller, send, key);
  if (key === undefined) return store.write(async (tx) => guarded(hub, caller, send, tx, work), concerns);
  const callHash = digest(send.operation, JSON.stringify(send.input));
  return store.write(async (tx) => {
    const first = await findFirstAnswer<Answer>(tx, caller, key, callHash);
    if (first !== undefined) return first;
    const answer = await guarded(hub, caller, send, tx, work);
    await idempotency.store(tx, caller.token_id, key, callHash, JSON.stringify(answer));
    return answer;
  }, concerns);
}

/** The inbox, whose messages are counted and numbered in order, and the key. */
function concernsOf({ network_id, token_id }: NetworkWriter, { to }: Send, key: string | undefined): string[] {
  return [`inbox ${network_id} ${to}`, ...(key === undefined ? [] : [`key ${token_id} ${key}`])];
}

async function findFirstAnswer<Answer>(
  tx: Transaction,
  caller: NetworkWriter,
  key: string,
  callHash: string,
): Promise<Answer | undefined> {
  const first = await idempotency.find(tx, caller.token_id, key);
  if (first === undefined || tx.now - first.created_at >= IDEMPOTENCY_KEPT_MS) return undefined;
  if (first.call_hash !== callHash) throw idempotencyConflict();
  return JSON.parse(first.answer);
}

// Counts before the work and rolls back with it, so that simultaneous sends count too.
function guarded<Answer>(
  hub: Hub,
  caller: NetworkWriter,
  { from, to, text }: Send,
  tx: Transaction,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  const key = loopKey(caller.network_id, from, to, text);
  if (hub.recentSends.count(key, tx.now) >= DUPLICATE_SENDS - 1) throw duplicateSend();
  tx.onRollback(hub.recentSends.add(key, tx.now));
  return work(tx);
}

/** A digest, since it is kept for minutes and told to the other hubs. */
export function loopKey(networkId: string, from: string, to: string, text: string): string {
  return digest(networkId, from, to, text);
}

function digest(...parts: readonly string[]): string {
  return hash('sha256', JSON.stringify(parts), 'base64url');
}
