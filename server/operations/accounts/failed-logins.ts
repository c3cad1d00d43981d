// Guesses at a password are limited per username, not only per address: when they are used up, the right one waits too.
import { tooManyFailedLogins } from '../../domain/errors.ts';
import { LOGIN_PER_MINUTE } from '../../domain/limits.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { usernameKey } from '../../domain/user.ts';
import type { Hub } from '../../hub.ts';

/** Counts a guess before it is checked, so that simultaneous ones count too; the answer takes it back when it was right. */
export function countGuess(hub: Hub, username: string): () => void {
  const now = hub.clock.now();
  const key = usernameKey(username);
  if (hub.failedLogins.count(key, now) < LOGIN_PER_MINUTE) return hub.failedLogins.add(key, now);
  throw tooManyFailedLogins(Math.max(1, Math.ceil((hub.failedLogins.freeAt(key) - now) / SECOND_MS)));
}
