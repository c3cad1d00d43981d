// The fixture of the matrix: three networks full of texts, each with its network's canary, a random word. The requested
// alias has no canary, so that a request never contains one.
import { updateNetwork } from '../../../server/operations/networks/update-network.ts';
import { createNotifier } from '../../../server/operations/notifiers/create-notifier.ts';
import { createToken } from '../../../server/operations/tokens/create-token.ts';
import type { TestHub } from '../../support/test-hub.ts';
import { fillNetwork, NOTIFIER } from './network-data.ts';
import type { Who } from './patterns.ts';
import { type ServedHub, serveTestHub } from './served-hub.ts';
import { countChanges } from './snapshot.ts';
import { ask, createUsers, PASSWORD, type User, type Users } from './users.ts';

export type Location = 'home' | 'foreign' | 'missing' | 'self' | '-';

/** The ids of one network's objects, which a request can name. */
export type Ids = Record<
  | 'network_id'
  | 'alias'
  | 'task_id'
  | 'failed_task_id'
  | 'message_id'
  | 'mail_id'
  | 'user_id'
  | 'invite_id'
  | 'invite_code'
  | 'token_id'
  | 'notifier_id',
  string
>;

/** Also the caller's own account, and a word that was never used before. */
export type Objects = Ids & { word: string; login: { username: string; password: string } };

export type Fixture = ServedHub &
  Users & {
    canaries: Record<'home' | 'foreign' | 'admin' | 'member', string>;
    ids: Record<Exclude<Location, 'self'>, Ids>;
    objects(location: Location, who: Who): Objects;
  };

export async function openFixture(): Promise<Fixture> {
  const served = await serveTestHub();
  const { hub } = served;
  const canary = (): string => `canary${hub.ids.word(16)}`;
  const canaries = { home: canary(), foreign: canary(), admin: canary(), member: canary() };
  const users = await createUsers(hub, canaries);
  const { owner, outsider, admin, member, otherMember, foreignMember } = users.users;
  await ask(hub, member.utok, updateNetwork, { network_id: member.network_id, network_name: canaries.member });
  await fillNetwork(hub, admin, admin, 'worker-a', canaries.admin);
  const ids = {
    home: await fillNetwork(hub, owner, otherMember, 'worker-h', canaries.home),
    foreign: await fillNetwork(hub, outsider, foreignMember, 'worker-f', canaries.foreign),
    missing: idsOfNothing(hub, 'worker-m'),
    '-': idsOfNothing(hub, 'worker-n'),
  };
  const own = await giveTokens(hub, users);
  let words = 0;
  const objects = (location: Location, who: Who): Objects => {
    const user = userOf(users, who);
    const found = location === 'self' ? { ...ids.missing, user_id: user.user_id, ...own.get(user) } : ids[location];
    return {
      ...found,
      word: `word_${String(++words).padStart(6, '0')}`,
      login: { username: user.username, password: PASSWORD },
    };
  };
  await countChanges(hub);
  return { ...served, ...users, canaries, ids, objects };
}

function idsOfNothing({ ids }: TestHub, alias: string): Ids {
  return {
    alias,
    network_id: ids.next('net'),
    user_id: ids.next('usr'),
    invite_id: ids.next('ivt'),
    invite_code: `inv_${ids.word(24)}`,
    task_id: ids.next('task'),
    failed_task_id: ids.next('task'),
    message_id: ids.next('msg'),
    mail_id: ids.next('msg'),
    token_id: ids.next('tok'),
    notifier_id: ids.next('ntf'),
  };
}

type OwnIds = Pick<Ids, 'token_id' | 'notifier_id'>;

/** The caller with this token, or a user without a network when the token has no owner. */
function userOf({ users }: Users, who: Who): User {
  const name = who.split(' ')[0] ?? '';
  return Object.entries(users).find(([known]) => known === name)?.[1] ?? users.unrelated;
}

/** For every caller, a network token to revoke, and a notifier. */
async function giveTokens(hub: TestHub, { users }: Users): Promise<Map<User, OwnIds>> {
  const home = users.owner.network_id;
  const given = new Map<User, OwnIds>();
  for (const user of Object.values(users)) {
    const network_id = user === users.viewer ? home : user.network_id;
    const { token_id } = await ask(hub, user.utok, createToken, { name: 'spare', network_id });
    const { notifier } = await ask(hub, user.utok, createNotifier, NOTIFIER);
    given.set(user, { token_id, notifier_id: notifier?.notifier_id ?? '' });
  }
  return given;
}
