// Guesses at a password are limited per username, not only per address. Guesses from an address that has signed the
// user in before, and those of a signed-in user who changes the password, are counted apart: strangers cannot use them
// up.
import { usernameKey } from '../../domain/accounts/user.ts';
import { clientKey, UNKNOWN_CLIENT } from '../../domain/addresses.ts';
import { type TryLater, tooManyLogins, tooManyPasswordChanges } from '../../domain/errors.ts';
import { LOGIN_PER_MINUTE, LOGINS_PER_USER_PER_MINUTE, PASSWORD_CHANGES_PER_MINUTE } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time/clock.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { SlidingCounter } from '../../events/sliding-window.ts';
import type { Hub } from '../../hub.ts';
import type { Reader, Transaction } from '../../store/engine/transaction.ts';
import * as signIns from '../../store/sign-ins.ts';

/** Whether this user has signed in from there. Without a user it is as much work, and false. */
export async function isKnownAddress(reader: Reader, userId: string | undefined, ip: string): Promise<boolean> {
  return signIns.isKnown(reader, userId ?? '', clientKey(ip));
}

/** To be called after each successful login and registration. */
export async function rememberAddress(tx: Transaction, userId: string, ip: string): Promise<void> {
  const address = clientKey(ip);
  if (address !== UNKNOWN_CLIENT) await signIns.mark(tx, userId, address);
}

/** The key under which guesses at this user's password count. */
export function loginKey(username: string, ip: string, isKnown: boolean): string {
  return isKnown ? `known ${usernameKey(username)} ${clientKey(ip)}` : `anywhere ${usernameKey(username)}`;
}

export function changeKey(userId: string): string {
  return `change ${userId}`;
}

/**
 * Whether `check` finds the password right. The guess counts before it is checked, so that simultaneous ones count too;
 * one that was right, or never came to be checked, does not count.
 */
export async function guess(hub: Hub, key: string, check: () => Promise<boolean>): Promise<boolean> {
  const takeBack = countGuess(hub, key);
  let isWrong = false;
  try {
    isWrong = !(await check());
  } finally {
    if (!isWrong) takeBack();
  }
  return !isWrong;
}

function countGuess({ failedLogins, clock }: Hub, key: string): () => void {
  const now = clock.now();
  assertFewer(failedLogins, key, { max: LOGIN_PER_MINUTE, now, refusal: tooManyLogins });
  return failedLogins.add(key, now);
}

/**
 * Throws when this user has signed in, or changed the password, too often within a minute. Returns what counts once
 * more, to be called when the password was right: guesses of strangers count for nothing here.
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
