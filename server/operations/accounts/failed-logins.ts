// Limits password guesses per username, not only per address. Logins from an address where the user has logged in
// before, and guesses of a signed-in user who changes their password, are counted separately, so that strangers cannot
// use them up.
import { type User, usernameKey } from '../../domain/accounts/user.ts';
import { clientKey, UNKNOWN_CLIENT } from '../../domain/addresses.ts';
import { type TryLater, tooManyLogins, tooManyPasswordChanges } from '../../domain/errors.ts';
import { LOGIN_PER_MINUTE, LOGINS_PER_USER_PER_MINUTE, PASSWORD_CHANGES_PER_MINUTE } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { SlidingCounter } from '../../events/limits/sliding-window.ts';
import type { Hub } from '../../hub.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as signIns from '../../store/sign-ins.ts';
import * as users from '../../store/users.ts';

/** The user of a login, and whether they have logged in from this address before. */
export async function findLogin(
  reader: Reader,
  username: string,
  ip: string,
): Promise<{ user: User | undefined; isKnown: boolean }> {
  const user = await users.findByUsername(reader, username);
  // Without a user it takes the same time.
  return { user, isKnown: await signIns.isKnown(reader, user?.user_id ?? '', clientKey(ip)) };
}

/** Whether the limit of the address does not apply, because `guessLogin` limits this user there. */
export async function isKnownLogin(reader: Reader, username: string, ip: string): Promise<boolean> {
  return (await findLogin(reader, username, ip)).isKnown;
}

/** Call after each successful login and registration. */
export async function rememberAddress(tx: Transaction, userId: string, ip: string): Promise<void> {
  const address = clientKey(ip);
  if (address !== UNKNOWN_CLIENT) await signIns.mark(tx, userId, address);
}

/**
 * Returns whether the password is correct. At a known address every login counts, checked or not, because the limit of
 * the address does not apply to it; elsewhere only wrong guesses count.
 */
export async function guessLogin(
  hub: Hub,
  { username, ip, isKnown }: { username: string; ip: string; isKnown: boolean },
  check: () => Promise<boolean>,
): Promise<boolean> {
  const key = usernameKey(username);
  if (!isKnown) return guess(hub, `anywhere ${key}`, check);
  countGuess(hub, `known ${key} ${clientKey(ip)}`);
  return check();
}

export function changeKey(userId: string): string {
  return `change ${userId}`;
}

/**
 * Returns whether the password is correct. The guess is counted before the check, so that simultaneous guesses count
 * too; a correct or unchecked guess is uncounted again.
 */
export async function guess(hub: Hub, key: string, check: () => Promise<boolean>): Promise<boolean> {
  const uncount = countGuess(hub, key);
  let isWrong = false;
  try {
    isWrong = !(await check());
  } finally {
    if (!isWrong) uncount();
  }
  return !isWrong;
}

function countGuess({ failedLogins, clock }: Hub, key: string): () => void {
  const now = clock.now();
  assertFewer(failedLogins, key, { max: LOGIN_PER_MINUTE, now, refusal: tooManyLogins });
  return failedLogins.add(key, now);
}

/**
 * Throws if this user has logged in, or changed the password, too often within a minute. Returns a function that counts
 * one use, to be called after a correct password: guesses of strangers do not count here.
 */
export function countsUse({ passwordUses, clock }: Hub, use: keyof typeof USES, userId: string): () => void {
  const key = `${use} ${userId}`;
  assertFewer(passwordUses, key, { ...USES[use], now: clock.now() });
  return () => void passwordUses.add(key, clock.now());
}

type Bound = { max: number; refusal: (retryAfterSeconds: number) => TryLater };

const USES = {
  login: { max: LOGINS_PER_USER_PER_MINUTE, refusal: tooManyLogins },
  change: {
    max: PASSWORD_CHANGES_PER_MINUTE,
    refusal: (seconds) => tooManyPasswordChanges(PASSWORD_CHANGES_PER_MINUTE, seconds),
  },
} satisfies Record<string, Bound>;

function assertFewer(attempts: SlidingCounter, key: string, { max, refusal, now }: Bound & { now: Millis }): void {
  if (attempts.count(key, now) < max) return;
  throw refusal(Math.max(1, Math.ceil((attempts.freeAt(key) - now) / SECOND_MS)));
}
