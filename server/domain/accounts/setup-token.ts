// The setup token: the bearer that the first registration needs where others may reach the hub. It is printed as a link
// and expires, because a log is kept for longer than the link is meant to work.
import { SETUP_TOKEN_MS } from '../limits.ts';
import type { Millis } from '../time/clock.ts';

/** Replaced in place when it has expired. */
export type SetupToken = { token: string; validUntil: Millis };

export function newSetupToken(token: string, now: Millis): SetupToken {
  return { token, validUntil: now + SETUP_TOKEN_MS };
}

/** The token is in the fragment, which browsers do not send to the server, so it does not appear in proxy logs. */
export function setupLink(url: string, token: string): string {
  return `${url}/#setup=${token}`;
}
