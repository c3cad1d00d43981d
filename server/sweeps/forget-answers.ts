// Forgets the answers kept for idempotency keys once their day is over.
import { IDEMPOTENCY_KEPT_MS } from '../domain/limits.ts';
import type { Hub } from '../hub.ts';
import * as idempotency from '../store/idempotency.ts';
import { inPortions } from './portions.ts';

export async function run(hub: Hub): Promise<{ answers: number }> {
  return { answers: await inPortions(hub, (tx, limit) => idempotency.removeBefore(tx, tx.now - IDEMPOTENCY_KEPT_MS, limit)) };
}
