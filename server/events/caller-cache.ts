// Caches callers by token hash. An entry is valid until access rights change.
import type { Caller } from '../domain/accounts/caller.ts';
import type { Millis } from '../domain/time/clock.ts';

export type CachedCaller = {
  caller: Omit<Caller, 'ip' | 'token_hash' | 'access_version' | 'expires_at'>;
  token_id: string;
  last_used_at: Millis | null;
  expires_at: Millis | null;
  /** The version of the access rights when the entry was read. */
  accessVersion: number;
};

export type CallerCache = {
  find(tokenHash: string, accessVersion: number): CachedCaller | undefined;
  keep(tokenHash: string, known: CachedCaller): void;
};

const MAX_KEPT = 10_000;

export function openCallerCache(): CallerCache {
  const kept = new Map<string, CachedCaller>();
  return {
    find: (tokenHash, accessVersion) => {
      const known = kept.get(tokenHash);
      return known?.accessVersion === accessVersion ? known : undefined;
    },
    keep: (tokenHash, known) => {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(tokenHash, known);
    },
  };
}
