// The quotas an operator can set, one row each: how many resources a user, token, network or alias may have. 0 means no
// limit. Quotas that a trusted team never reaches are on by default; those for hubs with strangers are off.
import { quotaExceeded } from './errors.ts';

type Quota = {
  fallback: number;
  /** What is counted, as shown in errors and help. */
  what: string;
  /** How to get below the quota. */
  remedy: string;
};

export const QUOTAS = {
  max_networks: { fallback: 100, what: 'networks per user', remedy: 'delete one' },
  max_memberships: { fallback: 200, what: 'networks that a user belongs to', remedy: 'leave one' },
  max_tokens: { fallback: 1_000, what: 'tokens per user', remedy: 'revoke one' },
  max_invites: { fallback: 1_000, what: 'open invites per network', remedy: 'withdraw one' },
  max_notifiers: { fallback: 20, what: 'notifiers per user', remedy: 'delete one' },
  max_sessions: {
    fallback: 50_000,
    what: 'agents per network',
    remedy: 'wait until one goes offline; it is then replaced',
  },
  max_nodes: {
    fallback: 50_000,
    what: 'nodes per network',
    remedy: 'wait until nodes not seen for keep_tasks_days are pruned',
  },
  max_pending_messages: {
    fallback: 100_000,
    what: 'pending messages per alias',
    remedy: 'wait until its agent has read some',
  },
  max_streams_per_user: { fallback: 2_000, what: 'event streams per user', remedy: 'close one' },
  max_waits_per_user: { fallback: 2_000, what: 'waiting calls and subscriptions per user', remedy: 'close one' },
  max_requests_per_minute: { fallback: 0, what: 'requests per minute and per token', remedy: 'wait' },
  max_broadcasts_per_minute: { fallback: 0, what: 'broadcasts per minute and per token', remedy: 'wait' },
  max_changes_per_minute: {
    fallback: 0,
    what: 'changes of accounts, networks and tokens per minute and user',
    remedy: 'wait',
  },
  max_network_bytes: {
    fallback: 0,
    what: 'bytes of text per network',
    remedy: 'wait until old tasks and messages are pruned',
  },
} as const satisfies Readonly<Record<string, Quota>>;

export type QuotaName = keyof typeof QUOTAS;
export type Quotas = Readonly<Record<QuotaName, number>>;

/** The quotas that matter where strangers may register. */
export const FOR_STRANGERS = [
  'max_requests_per_minute',
  'max_broadcasts_per_minute',
  'max_changes_per_minute',
  'max_network_bytes',
] as const satisfies readonly QuotaName[];

/** Throws quota_exceeded if the quota is used up. */
export function assertBelow(quotas: Quotas, name: QuotaName, used: number): void {
  if (isUsedUp(quotas, name, used)) throw exceeded(quotas, name);
}

export function isUsedUp(quotas: Quotas, name: QuotaName, used: number): boolean {
  return quotas[name] > 0 && used >= quotas[name];
}

export function exceeded(quotas: Quotas, name: QuotaName): Error {
  const { what, remedy } = QUOTAS[name];
  return quotaExceeded(what, quotas[name], name, remedy);
}
