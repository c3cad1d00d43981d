// Users. The first one ever inserted is admin: decided inside the insert, so a race has one winner.
import { usernameKey, type User } from '../domain/user.ts';
import type { Reader, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';

const SELECTED = 'user_id, username, display_name, role, email, password_hash, created_at';

export function findByUsername(reader: Reader, username: string): Promise<User | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM users WHERE username_key = ?`, [usernameKey(username)]);
}

export function find(reader: Reader, userId: string): Promise<User | undefined> {
  return reader.first(`SELECT ${SELECTED} FROM users WHERE user_id = ?`, [userId]);
}

export async function isAny(reader: Reader): Promise<boolean> {
  return (await reader.first('SELECT 1 FROM users LIMIT 1')) !== undefined;
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

export async function insert(tx: Transaction, user: Omit<User, 'role' | 'created_at'>): Promise<User> {
  const [inserted] = await tx.all<User>(
    `INSERT INTO users (user_id, username, username_key, display_name, role, email, password_hash, created_at)
     VALUES (?, ?, ?, ?, CASE WHEN EXISTS (SELECT 1 FROM users) THEN 'user' ELSE 'admin' END, ?, ?, ?) RETURNING ${SELECTED}`,
    [user.user_id, user.username, usernameKey(user.username), user.display_name, user.email, user.password_hash, tx.now],
  );
  if (inserted === undefined) throw new Error('the insert of a user returned no row');
  return inserted;
}
