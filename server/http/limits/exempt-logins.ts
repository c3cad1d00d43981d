// Decides which logins the limit of their address does not refuse: those of users who have logged in from it before.
import type { Context } from 'koa';
import * as v from 'valibot';
import { HubError } from '../../domain/errors.ts';
import type { Hub } from '../../hub.ts';
import { isKnownLogin } from '../../operations/accounts/failed-logins.ts';
import { login } from '../../operations/accounts/login.ts';
import { addressOf, senderOf, visitorOf } from '../authenticate.ts';
import { type Bodies, type Body, PUBLIC_BODY } from '../bodies/read-body.ts';

export function exemptLogins(hub: Hub, bodies: Bodies): (ctx: Context) => Promise<boolean> {
  return async (ctx) => {
    const username = usernameIn(await readOrRefuse(ctx, bodies));
    if (username === undefined) return false;
    return hub.store.read((reader) => isKnownLogin(reader, username, addressOf(ctx)));
  };
}

/** At the limit, a body that cannot be read is refused like any other, unless the rest of it may never arrive. */
async function readOrRefuse(ctx: Context, bodies: Bodies): Promise<Body | undefined> {
  try {
    return await bodies.readAhead(ctx, senderOf(visitorOf(ctx)), PUBLIC_BODY);
  } catch (error) {
    if (error instanceof HubError && error.code !== 'request_timeout') return undefined;
    throw error;
  }
}

function usernameIn(body: Body | undefined): string | undefined {
  if (body === undefined || 'error' in body) return undefined;
  const { value } = body;
  if (typeof value !== 'object' || value === null || !('username' in value)) return undefined;
  const { success, output } = v.safeParse(login.input.entries.username, value.username);
  return success ? output : undefined;
}
