// register: a user, a network of his own, and a token for each; with an invite code he joins that network too. The first user
// of a hub becomes its admin. Who else may register, the operator says.
import * as v from 'valibot';
import type { Visitor } from '../../domain/caller.ts';
import { inviteRequired, registrationClosed, setupTokenRequired, usernameTaken } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_DISPLAY_NAME, MAX_EMAIL, MAX_PASSWORD, MAX_USERNAME, MIN_PASSWORD, MIN_USERNAME } from '../../domain/limits.ts';
import { isUsername, userRecord, type User } from '../../domain/user.ts';
import type { Hub } from '../../hub.ts';
import * as auditLog from '../../store/audit-log.ts';
import type { Transaction } from '../../store/database.ts';
import * as users from '../../store/users.ts';
import { joinByInvite } from '../networks/join-network.ts';
import { createNetworkOf } from '../networks/new-network.ts';
import { getOpenInvite } from '../networks/open-invite.ts';
import { operation } from '../operation.ts';
import { issueToken } from '../tokens/issue-token.ts';

const USERNAME_RULE = 'must be letters, digits, underscores or Chinese characters';

const input = v.object({
  username: v.pipe(fields.text(MAX_USERNAME, MIN_USERNAME), v.check(isUsername, USERNAME_RULE)),
  password: fields.text(MAX_PASSWORD, MIN_PASSWORD),
  display_name: v.optional(fields.text(MAX_DISPLAY_NAME)),
  email: v.optional(fields.text(MAX_EMAIL)),
  invite_code: v.optional(fields.name),
});
type Registration = v.InferOutput<typeof input>;

export const register = operation({
  name: 'register',
  summary: 'Create a user with a network of his own.',
  access: 'public',
  input,
  run: async (hub, visitor, registration) => {
    await hub.store.read(async (reader) => {
      const isInvited = registration.invite_code !== undefined;
      assertMayRegister(hub, visitor, { isAnyUser: await users.isAny(reader), isInvited });
      // Looked at before the password is hashed, which costs a strong machine a quarter of a second.
      if (registration.invite_code !== undefined) await getOpenInvite(reader, registration.invite_code);
      if (await users.findByUsername(reader, registration.username)) throw usernameTaken(registration.username);
    });
    const passwordHash = await hub.passwords.hash(registration.password);
    return hub.store.write((tx) => createAccount(hub, tx, visitor, registration, passwordHash));
  },
});

// Whoever sets the hub up needs no invite, and is asked for one thing only: to be the one who started it.
function assertMayRegister({ setupToken, settings }: Hub, { bearer }: Visitor, { isAnyUser, isInvited }: { isAnyUser: boolean; isInvited: boolean }): void {
  if (!isAnyUser) {
    if (setupToken !== undefined && bearer !== setupToken) throw setupTokenRequired();
  } else if (settings.registration === 'closed') {
    throw registrationClosed();
  } else if (settings.registration === 'invite' && !isInvited) {
    throw inviteRequired();
  }
}

// Checked again inside the transaction: another registration may have come in between.
async function createAccount(hub: Hub, tx: Transaction, visitor: Visitor, registration: Registration, passwordHash: string) {
  const { invite_code } = registration;
  assertMayRegister(hub, visitor, { isAnyUser: await users.isAny(tx), isInvited: invite_code !== undefined });
  if (await users.findByUsername(tx, registration.username)) throw usernameTaken(registration.username);
  const user = await users.insert(tx, newUser(hub.ids.next('usr'), registration, passwordHash));
  const networkId = await createNetworkOf(hub, tx, { network_name: user.username, owner_id: user.user_id, description: '' });
  const token = await issueToken(hub, tx, { kind: 'user', user_id: user.user_id, network_id: null, name: 'registration' });
  const networkToken = await issueToken(hub, tx, { kind: 'network', user_id: user.user_id, network_id: networkId, name: 'registration' });
  await auditLog.insert(tx, {
    actor: user.username, action: 'user.register', target_type: 'user', target_id: user.user_id, detail: `role ${user.role}`,
    ip: visitor.ip, network_id: networkId,
  });
  const joined = invite_code === undefined ? undefined : await joinByInvite(hub, tx, { ...user, ip: visitor.ip }, invite_code);
  return { ok: true, user: userRecord(user), token: token.token, network_token: networkToken.token, network_id: networkId, ...(joined && { joined }) };
}

function newUser(id: string, registration: Registration, passwordHash: string): Omit<User, 'role' | 'created_at'> {
  return {
    user_id: id,
    username: registration.username,
    display_name: registration.display_name || registration.username,
    email: registration.email ?? null,
    password_hash: passwordHash,
  };
}
