// login: exchanges a username and password for a new user token.
import * as v from 'valibot';
import type { Visitor } from '../../domain/accounts/caller.ts';
import { type User, userRecord } from '../../domain/accounts/user.ts';
import { clientKey } from '../../domain/addresses.ts';
import { accountDisabled, type HubError, invalidCredentials } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { MAX_PASSWORD, MAX_USERNAME } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import * as auditLog from '../../store/audit-log.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as users from '../../store/users.ts';
import { operation } from '../operation.ts';
import { makeRoomForSignIn } from '../quotas.ts';
import { issueToken } from '../tokens/issue-token.ts';
import { countsUse, findLogin, guessLogin, rememberAddress } from './failed-logins.ts';

export const login = operation({
  name: 'login',
  summary: 'Exchange username and password for a user token.',
  access: 'public',
  isQueued: true,
  input: v.object({ username: fields.text(MAX_USERNAME, 1), password: fields.text(MAX_PASSWORD, 1) }),
  run: async (hub, visitor, { username, password }, { store, gone }) => {
    const { user, isKnown } = await store.read((reader) => findLogin(reader, username, visitor.ip));
    const countUse = user && countsUse(hub, 'login', user.user_id);
    const turn = turnOf(visitor.ip, isKnown ? user : undefined, gone);
    const isRight = await guessLogin(hub, { username, ip: visitor.ip, isKnown }, () =>
      hub.passwords.verify(password, user?.password_hash, turn),
    );
    if (user === undefined || !isRight) return refuse(hub, store, visitor, username, invalidCredentials());
    countUse?.();
    const admitted = await store.write((tx) => admitUser(hub, tx, visitor, user));
    return admitted ?? refuse(hub, store, visitor, username, accountDisabled());
  },
});

// Only an address where the user has logged in before is likely theirs; strangers do not use up a user's turns.
function turnOf(ip: string, user: User | undefined, gone: AbortSignal | undefined) {
  const rank = user === undefined ? 'stranger' : 'known';
  return { rank, user: user?.user_id, client: clientKey(ip), gone } as const;
}

async function refuse(
  hub: Hub,
  store: ScopedStore,
  visitor: Visitor,
  username: string,
  error: HubError,
): Promise<never> {
  hub.metrics.failedLogins += 1;
  await store.write((tx) => audit(tx, 'user.login_failed', visitor, username, null));
  throw error;
}

/** Returns undefined for a disabled user. Checked again here, because hashing the password took time. */
async function admitUser(hub: Hub, tx: Transaction, visitor: Visitor, { user_id }: User) {
  const user = await users.find(tx, user_id);
  if (user === undefined || user.disabled_at !== null) return undefined;
  await makeRoomForSignIn(hub, tx, user.user_id);
  const { token, token_id } = await issueToken(hub, tx, {
    kind: 'user',
    user_id: user.user_id,
    network_id: null,
    name: 'login',
  });
  await rememberAddress(tx, user.user_id, visitor.ip);
  await audit(tx, 'user.login', visitor, user.username, user.user_id);
  const networkId = await networks.findFirstOwned(tx, user.user_id);
  return { ok: true, user: userRecord(user), token, token_id, network_id: networkId ?? null };
}

function audit(
  tx: Transaction,
  action: string,
  visitor: Visitor,
  username: string,
  userId: string | null,
): Promise<void> {
  return auditLog.insert(tx, {
    actor: username,
    action,
    target_type: 'user',
    target_id: userId,
    detail: null,
    ip: visitor.ip,
    network_id: null,
  });
}
