// The setup token: the bearer that the first registration needs where others may reach the hub. It is printed as a link
// and expires, because a log is kept for longer than the link is meant to work. Of several hubs on one database, each
// accepts the links of all: their tokens follow from a secret of the database and the time.
import { createHmac } from 'node:crypto';
import { SETUP_TOKEN_MS } from '../limits.ts';
import type { Millis } from '../time/clock.ts';

const SHARED_CHARACTERS = 32;

/** Replaced in place when it has expired. */
export type SetupToken = {
  token: string;
  validUntil: Millis;
  /** The secret of a database that several hubs share. */
  secret: string | undefined;
};

/** `token` is not used if there is a secret. */
export function newSetupToken(token: string, now: Millis, secret?: string): SetupToken {
  const [shared] = secret === undefined ? [] : sharedTokens(secret, now);
  return { token: shared ?? token, validUntil: now + SETUP_TOKEN_MS, secret };
}

export function isValidSetupToken(
  { token, validUntil, secret }: SetupToken,
  bearer: string | undefined,
  now: Millis,
): boolean {
  if (bearer === undefined) return false;
  return secret === undefined ? bearer === token && now < validUntil : sharedTokens(secret, now).includes(bearer);
}

/** The token of this period and of the last one, so that each is valid for at least a whole period. */
function sharedTokens(secret: string, now: Millis): string[] {
  const period = Math.floor(now / SETUP_TOKEN_MS);
  return [period, period - 1].map((each) =>
    createHmac('sha256', secret).update(`setup ${each}`).digest('hex').slice(0, SHARED_CHARACTERS),
  );
}

/** The token is in the fragment, which browsers do not send to the server, so it does not appear in proxy logs. */
export function setupLink(url: string, token: string): string {
  return `${url}/#setup=${token}`;
}
