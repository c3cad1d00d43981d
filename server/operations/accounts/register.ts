// register: creates a user, a personal network and a token for each; with an invite code the user also joins that
// network. The first user becomes admin; the operator configures who else may register.
import * as v from 'valibot';
import type { Visitor } from '../../domain/accounts/caller.ts';
import { isValidSetupToken, newSetupToken, setupLink } from '../../domain/accounts/setup-token.ts';
import { type User, userRecord } from '../../domain/accounts/user.ts';
import { clientKey } from '../../domain/addresses.ts';
import {
  inviteRequired,
  registrationClosed,
  setupTokenExpired,
  setupTokenRequired,
  usernameTaken,
} from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_DISPLAY_NAME, MAX_EMAIL, MAX_PASSWORD, MIN_PASSWORD } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import * as auditLog from '../../store/audit-log.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as users from '../../store/users.ts';
import { assertMayJoin, join } from '../networks/join-network.ts';
import { createNetworkOf } from '../networks/new-network.ts';
import { getOpenInvite } from '../networks/open-invite.ts';
import { operation } from '../operation.ts';
import { issueToken } from '../tokens/issue-token.ts';
import { rememberAddress } from './failed-logins.ts';
import { isSetupGuarded, needsSetupToken } from './first-admin.ts';

/** The input of an account. */
export const registration = v.object({
  username: fields.username,
  password: fields.text(MAX_PASSWORD, MIN_PASSWORD),
  display_name: v.optional(fields.text(MAX_DISPLAY_NAME)),
  email: v.optional(fields.text(MAX_EMAIL)),
  invite_code: v.optional(fields.name),
});
type Registration = v.InferOutput<typeof registration>;

export const register = operation({
  name: 'register',
  summary: 'Create a user with a personal network.',
  access: 'public',
  isQueued: true,
  input: registration,
  run: async (hub, visitor, asked, { store, gone }) => {
    await store.read(async (reader) => {
      const isInvited = asked.invite_code !== undefined;
      assertMayRegister(hub, visitor, { isAnyUser: await users.isAny(reader), isInvited });
      // Checked before the password is hashed, which takes a fast machine a quarter of a second.
      if (asked.invite_code !== undefined) await getOpenInvite(reader, asked.invite_code);
      if (await users.findByUsername(reader, asked.username)) throw usernameTaken(asked.username);
    });
    const passwordHash = await hub.passwords.hash(asked.password, {
      client: clientKey(visitor.ip),
      gone,
    });
    return store.write((tx) => createAccount(hub, tx, visitor, asked, passwordHash));
  },
});

// The first user needs no invite, but the setup token if others may have come first.
function assertMayRegister(
  hub: Hub,
  visitor: Visitor,
  { isAnyUser, isInvited }: { isAnyUser: boolean; isInvited: boolean },
): void {
  const { settings } = hub;
  if (!isAnyUser) {
    if (needsSetupToken(settings, visitor)) assertSetupToken(hub, visitor);
  } else if (settings.registration === 'closed') {
    throw registrationClosed();
  } else if (settings.registration === 'invite' && !isInvited) {
    throw inviteRequired();
  }
}

function assertSetupToken(hub: Hub, { bearer }: Visitor): void {
  const { setup, settings, log, clock } = hub;
  if (isValidSetupToken(setup, bearer, clock.now())) return;
  const isRight = bearer === setup.token;
  const isExpired = clock.now() >= setup.validUntil;
  const isLogged = isSetupGuarded(settings); // at startup
  if (isExpired && (isRight || !isLogged)) renewSetupToken(hub);
  if (!isLogged) log.warn({ setup_token: setup.token }, BEHIND_A_PROXY);
  throw isRight ? setupTokenExpired() : setupTokenRequired();
}

/** Only the operator reads the log, so the holder of an expired token gains nothing. */
function renewSetupToken({ setup, settings, log, clock, ids, consoleUrl = '' }: Hub): void {
  Object.assign(setup, newSetupToken(ids.word(24), clock.now(), setup.secret));
  if (!isSetupGuarded(settings)) return;
  const url = setupLink(consoleUrl, setup.token);
  log.warn({ url }, `the setup link has expired; register the first user, who becomes admin, at ${url}`);
}

const BEHIND_A_PROXY =
  'the first registration came through a proxy and was refused, because anyone may have sent it: register from this' +
  ' machine without the proxy, or enter this setup token; then set public_url and trust_proxy';

// Checked again inside the transaction, since another registration may have come first.
async function createAccount(hub: Hub, tx: Transaction, visitor: Visitor, asked: Registration, passwordHash: string) {
  const { invite_code } = asked;
  assertMayRegister(hub, visitor, { isAnyUser: await users.isAny(tx), isInvited: invite_code !== undefined });
  // Checked before any write.
  const open = invite_code === undefined ? undefined : await assertMayJoin(tx, undefined, invite_code);
  const { user, networkId } = await newAccount(hub, tx, asked, passwordHash);
  const token = await issueToken(hub, tx, {
    kind: 'user',
    user_id: user.user_id,
    network_id: null,
    name: 'registration',
  });
  const networkToken = await issueToken(hub, tx, {
    kind: 'network',
    user_id: user.user_id,
    network_id: networkId,
    name: 'registration',
  });
  await rememberAddress(tx, user.user_id, visitor.ip);
  await auditLog.insert(tx, {
    actor: user.username,
    action: 'user.register',
    target_type: 'user',
    target_id: user.user_id,
    detail: `role ${user.role}`,
    ip: visitor.ip,
    network_id: networkId,
  });
  const joined = open && (await join(hub, tx, { ...user, ip: visitor.ip }, open));
  return {
    ok: true,
    user: userRecord(user),
    token: token.token,
    network_token: networkToken.token,
    network_id: networkId,
    ...(joined && { joined }),
  };
}

/** Creates a user with a personal network. The first user of a hub becomes its admin. */
export async function newAccount(
  hub: Hub,
  tx: Transaction,
  asked: Registration,
  passwordHash: string,
): Promise<{ user: User; networkId: string }> {
  if (await users.findByUsername(tx, asked.username)) throw usernameTaken(asked.username);
  const user = await users.insert(tx, newUser(hub.ids.next('usr'), asked, passwordHash));
  tx.afterCommit(() => hub.changes.announce({ what: 'users' }));
  const networkId = await createNetworkOf(hub, tx, {
    network_name: user.username,
    owner_id: user.user_id,
    description: '',
  });
  return { user, networkId };
}

function newUser(
  id: string,
  asked: Registration,
  passwordHash: string,
): Omit<User, 'role' | 'created_at' | 'disabled_at'> {
  return {
    user_id: id,
    username: asked.username,
    display_name: asked.display_name || asked.username,
    email: asked.email ?? null,
    password_hash: passwordHash,
  };
}
