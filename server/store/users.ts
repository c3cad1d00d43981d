// Stores users. The first user becomes admin: the insert itself decides, so a race has one winner.
import { type SystemRole, type User, usernameKey } from '../domain/accounts/user.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, listOldest, type Page } from './lists/newest.ts';

const SELECTED = 'user_id, username, display_name, role, email, password_hash, created_at, disabled_at';

export function findByUsername(reader: Reader, username: string): Promise<User | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM users WHERE username_key = ?`, [usernameKey(username)]);
}

export function find(reader: Reader, userId: string): Promise<User | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM users WHERE user_id = ?`, [userId]);
}

export async function isAny(reader: Reader): Promise<boolean> {
  return (await reader.first('SELECT 1 FROM users LIMIT 1')) !== undefined;
}

/** Whether there is another enabled admin besides this user. */
export async function isOtherAdmin(reader: Reader, userId: string): Promise<boolean> {
  return (
    (await reader.first("SELECT 1 FROM users WHERE role = 'admin' AND disabled_at IS NULL AND user_id <> ? LIMIT 1", [
      userId,
    ])) !== undefined
  );
}

export function list(reader: Reader, page: Page): Promise<(User & { seq: number })[]> {
  return listNewest(reader, { select: SELECTED, from: 'users', network: undefined, sequence: 'user_seq' }, page);
}

export async function count(reader: Reader): Promise<number> {
  return (await reader.first<{ count: number }>('SELECT count(*) AS count FROM users'))?.count ?? 0;
}

export async function markDisplayName(tx: Transaction, userId: string, displayName: string): Promise<void> {
  await tx.run('UPDATE users SET display_name = ? WHERE user_id = ?', [displayName, userId]);
}

export async function markPassword(tx: Transaction, userId: string, passwordHash: string): Promise<void> {
  await tx.run('UPDATE users SET password_hash = ? WHERE user_id = ?', [passwordHash, userId]);
}

export async function markRole(tx: Transaction, userId: string, role: SystemRole): Promise<void> {
  await tx.run('UPDATE users SET role = ? WHERE user_id = ?', [role, userId], 'rights');
}

export async function markDisabled(tx: Transaction, userId: string, since: Millis | null): Promise<void> {
  await tx.run('UPDATE users SET disabled_at = ? WHERE user_id = ?', [since, userId], 'rights');
}

/**
 * Removes a user with their memberships, tokens, sign-ins and notifiers. They must own no network; those whose rows are
 * still being deleted go to any other user, of whom a hub has at least one.
 */
export async function remove(tx: Transaction, userId: string): Promise<void> {
  await tx.run(
    `UPDATE networks SET owner_id = (SELECT user_id FROM users WHERE user_id <> ?1 ORDER BY user_seq LIMIT 1)
     WHERE owner_id = ?1 AND removed_at IS NOT NULL`,
    [userId],
  );
  await tx.run('DELETE FROM users WHERE user_id = ?', [userId], 'rights');
}

export type UserOverview = User & { networks: number; last_used_at: Millis | null };

const OVERVIEW = `${SELECTED}, (SELECT count(*) FROM members m WHERE m.user_id = u.user_id) AS networks,
  (SELECT max(t.last_used_at) FROM tokens t WHERE t.user_id = u.user_id) AS last_used_at`;

export async function getOverview(reader: Reader, userId: string): Promise<UserOverview> {
  const user = await reader.first<UserOverview>(`SELECT ${OVERVIEW} FROM users u WHERE u.user_id = ?`, [userId]);
  if (user === undefined) throw new Error(`user ${userId} does not exist`);
  return user;
}

/**
 * Lists all users in registration order, with the number of their networks and when one of their tokens was last used.
 */
export function listAll(reader: Reader, page: Page): Promise<(UserOverview & { seq: number })[]> {
  return listOldest(
    reader,
    {
      select: OVERVIEW,
      from: 'users u',
      network: undefined,
      sequence: 'u.user_seq',
    },
    page,
  );
}

export async function insert(tx: Transaction, user: Omit<User, 'role' | 'created_at' | 'disabled_at'>): Promise<User> {
  const [inserted] = await tx.returning<User>(
    `INSERT INTO users (user_id, username, username_key, display_name, role, email, password_hash, created_at)
     VALUES (?, ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'user' ELSE 'admin' END, ?, ?, ?) RETURNING ${SELECTED}`,
    [
      user.user_id,
      user.username,
      usernameKey(user.username),
      user.display_name,
      user.email,
      user.password_hash,
      tx.now,
    ],
  );
  if (inserted === undefined) throw new Error('the insert of a user returned no row');
  return inserted;
}
