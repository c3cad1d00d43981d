// Tokens: a prefix for the kind, 30 random base62 characters and 6 of their CRC-32, so that a mistyped token is
// rejected without a database lookup. Only the SHA-256 of a token is stored.
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, type Ids } from '../ids/ids.ts';
import type { Millis } from '../time/clock.ts';

export type TokenKind = 'user' | 'network';

const PREFIXES = { user: 'utok_', network: 'ntok_' } as const satisfies Record<TokenKind, string>;
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;
const TOKEN = /^([un]tok_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

export type Token = {
  token_id: string;
  user_id: string;
  /** Null for a user token. */
  network_id: string | null;
  kind: TokenKind;
  name: string;
  created_at: Millis;
  last_used_at: Millis | null;
  /** Null: valid until revoked. */
  expires_at: Millis | null;
};

export function newToken(kind: TokenKind, ids: Ids): string {
  const random = ids.word(RANDOM_LENGTH);
  return PREFIXES[kind] + random + checksum(random);
}

export function isWellFormedToken(token: string): boolean {
  const parts = TOKEN.exec(token);
  return parts?.[2] !== undefined && parts[3] === checksum(parts[2]);
}

function checksum(random: string): string {
  return base62(crc32(random), CHECKSUM_LENGTH);
}

export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}
