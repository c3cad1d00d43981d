// Stores tokens, only as hashes, and resolves a bearer to its current access.
import type { Token, TokenKind } from '../domain/accounts/token.ts';
import type { SystemRole } from '../domain/accounts/user.ts';
import type { NetworkRole } from '../domain/network.ts';
import type { Millis } from '../domain/time/clock.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import { listNewest, listOldest, type Page } from './lists/newest.ts';

export type Bearer = {
  token_id: string;
  kind: TokenKind;
  network_id: string | null;
  last_used_at: Millis | null;
  expires_at: Millis | null;
  user_id: string;
  username: string;
  system_role: SystemRole;
  /** For a network token: the current role of its user there, or null if they are no longer a member. */
  role: NetworkRole | null;
  trial_ends_at: Millis | null;
};

export function findBearer(reader: Reader, hash: string): Promise<Bearer | undefined> {
  return reader.first(
    `SELECT t.token_id, t.kind, t.network_id, t.last_used_at, t.expires_at, u.user_id, u.username, u.role AS system_role,
       m.role, n.trial_ends_at
     FROM tokens t JOIN users u ON u.user_id = t.user_id
     LEFT JOIN members m ON m.network_id = t.network_id AND m.user_id = t.user_id
     LEFT JOIN networks n ON n.network_id = t.network_id WHERE t.token_hash = ? AND u.disabled_at IS NULL AND n.removed_at IS NULL`,
    [hash],
  );
}

/** Whether the token exists and its user is enabled. */
export async function isKnown(reader: Reader, tokenId: string): Promise<boolean> {
  const known = await reader.first(
    'SELECT 1 FROM tokens t JOIN users u ON u.user_id = t.user_id WHERE t.token_id = ? AND u.disabled_at IS NULL',
    [tokenId],
  );
  return known !== undefined;
}

/** When a token expires: Infinity for never, and the distant past for a token that does not exist. */
export async function findEnd(reader: Reader, tokenId: string): Promise<Millis> {
  const token = await reader.first<{ expires_at: Millis | null }>('SELECT expires_at FROM tokens WHERE token_id = ?', [
    tokenId,
  ]);
  return token === undefined ? 0 : (token.expires_at ?? Infinity);
}

export async function insert(
  tx: Transaction,
  token: Omit<Token, 'created_at' | 'last_used_at'> & { hash: string },
): Promise<void> {
  await tx.run(
    'INSERT INTO tokens (token_id, token_hash, user_id, network_id, kind, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [token.token_id, token.hash, token.user_id, token.network_id, token.kind, token.name, tx.now, token.expires_at],
  );
}

export function listOfUser(
  reader: Reader,
  userId: string,
  page: Page,
): Promise<(Omit<Token, 'user_id'> & { seq: number })[]> {
  const select = 'token_id, name, kind, network_id, created_at, last_used_at, expires_at';
  return listNewest(
    reader,
    { select, from: 'tokens', network: undefined, sequence: 'token_seq', where: [['user_id = ?', userId]] },
    page,
  );
}

export type TokenOverview = Omit<Token, 'user_id'> & { username: string; network_name: string | null };

const OVERVIEW =
  't.token_id, t.name, t.kind, t.network_id, t.created_at, t.last_used_at, t.expires_at, u.username, n.network_name';
const OVERVIEW_SOURCE =
  'tokens t JOIN users u ON u.user_id = t.user_id LEFT JOIN networks n ON n.network_id = t.network_id';

export function findOverview(
  reader: Reader,
  tokenId: string,
): Promise<(TokenOverview & { user_id: string }) | undefined> {
  return reader.first(`SELECT ${OVERVIEW}, t.user_id FROM ${OVERVIEW_SOURCE} WHERE t.token_id = ?`, [tokenId]);
}

/** Lists tokens in creation order, of all users or of one user or network. */
export function listAll(
  reader: Reader,
  of: { user_id?: string | undefined; network_id?: string | undefined },
  page: Page,
): Promise<(TokenOverview & { seq: number })[]> {
  return listOldest(
    reader,
    {
      select: OVERVIEW,
      from: OVERVIEW_SOURCE,
      network: undefined,
      sequence: 't.token_seq',
      where: [
        ['t.user_id = ?', of.user_id],
        ['t.network_id = ?', of.network_id],
      ],
    },
    page,
  );
}

/** The name of a token and of its user. */
export function findName(reader: Reader, tokenId: string): Promise<{ name: string; username: string } | undefined> {
  return reader.first(
    'SELECT t.name, u.username FROM tokens t JOIN users u ON u.user_id = t.user_id WHERE t.token_id = ?',
    [tokenId],
  );
}

/** Removes all user tokens of a user. Returns their ids. */
export function removeSignIns(tx: Transaction, userId: string): Promise<{ token_id: string }[]> {
  return tx.returning("DELETE FROM tokens WHERE user_id = ? AND kind = 'user' RETURNING token_id", [userId], 'rights');
}

/** Counts the tokens of a user, up to `most`. */
export async function countOfUser(reader: Reader, userId: string, most: number): Promise<number> {
  return (await reader.all('SELECT 1 FROM tokens WHERE user_id = ? LIMIT ?', [userId, most])).length;
}

/** Counts the tokens of a user that have not expired. */
export async function countLive(reader: Reader, userId: string): Promise<number> {
  const live = await reader.first<{ count: number }>(
    'SELECT count(*) AS count FROM tokens WHERE user_id = ? AND (expires_at IS NULL OR expires_at > ?)',
    [userId, reader.now],
  );
  return live?.count ?? 0;
}

/** Removes the expired tokens of a user. Returns their ids. */
export function removeExpired(tx: Transaction, userId: string): Promise<{ token_id: string }[]> {
  return tx.returning(
    'DELETE FROM tokens WHERE user_id = ? AND expires_at <= ? RETURNING token_id',
    [userId, tx.now],
    'rights',
  );
}

/**
 * Removes the login token that has been unused for longest. It is the first to expire, since expiry is a fixed time
 * after the last use.
 */
export function removeLongestUnusedSignIn(tx: Transaction, userId: string): Promise<{ token_id: string }[]> {
  return tx.returning(
    `DELETE FROM tokens WHERE token_seq = (SELECT token_seq FROM tokens WHERE user_id = ? AND kind = 'user' ORDER BY expires_at, token_seq LIMIT 1)
     RETURNING token_id`,
    [userId],
    'rights',
  );
}

/** Returns the removed token; undefined if the user has no such token. */
export async function remove(
  tx: Transaction,
  userId: string,
  tokenId: string,
): Promise<Pick<Token, 'name' | 'network_id'> | undefined> {
  const [removed] = await tx.returning<Pick<Token, 'name' | 'network_id'>>(
    'DELETE FROM tokens WHERE user_id = ? AND token_id = ? RETURNING name, network_id',
    [userId, tokenId],
    'rights',
  );
  return removed;
}

/** Removes the user's other user tokens. Returns their ids. */
export function removeOtherSignIns(
  tx: Transaction,
  userId: string,
  keptTokenId: string,
): Promise<{ token_id: string }[]> {
  return tx.returning(
    "DELETE FROM tokens WHERE user_id = ? AND kind = 'user' AND token_id <> ? RETURNING token_id",
    [userId, keptTokenId],
    'rights',
  );
}

/** Extends a user token from its last use; the expiry of a network token does not change. */
export async function markUsed(
  tx: Transaction,
  tokenId: string,
  at: Millis,
  userTokenExpiresAt: Millis,
): Promise<void> {
  await tx.run(
    "UPDATE tokens SET last_used_at = ?, expires_at = CASE kind WHEN 'user' THEN ? ELSE expires_at END WHERE token_id = ?",
    [at, userTokenExpiresAt, tokenId],
  );
}
