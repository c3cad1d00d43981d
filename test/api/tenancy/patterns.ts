// Permissions: the expected result of every cell, from SPECIFICATION.md §1 and §2, as tables. A column is
// `network/object`: the network that the request names (`-` for none), then the location of its object (`-` for none).
// Home has an owner, a member and a viewer. Foreign belongs to the outsider. The owner, the viewer, the outsider and
// the admin belong to one network each, the member to two.
import { ACCOUNT_TABLES } from './account-patterns.ts';
import { RECORD_TABLES } from './record-patterns.ts';
import { TOOL_TABLES } from './tool-patterns.ts';

/** All callers, in the order of SPECIFICATION.md §1. */
export const WHO = [
  'no token',
  'malformed token',
  'unknown utok_',
  'unknown ntok_',
  'revoked utok_',
  'revoked ntok_',
  'expired utok_',
  'expired ntok_',
  "removed member's ntok_",
  'ntok_ in the query',
  'admin utok_',
  'owner utok_',
  'member utok_',
  'viewer utok_',
  'outsider utok_',
  'owner ntok_',
  'member ntok_',
  'viewer ntok_',
  'outsider ntok_',
  'admin ntok_',
] as const;
export type Who = (typeof WHO)[number];

/** Lines that stand for several callers. A line for one caller overrides them. */
export const GROUPS: Readonly<Record<string, (who: Who) => boolean>> = {
  anybody: () => true,
  nobody: (who) => WHO.indexOf(who) <= WHO.indexOf('ntok_ in the query'),
  'any utok_': (who) => /^(admin|owner|member|viewer|outsider) utok_$/.test(who),
  'any ntok_': (who) => /^(admin|owner|member|viewer|outsider) ntok_$/.test(who),
};

/** The meaning of the table words over REST. A word not listed here is the literal result. */
export const WORDS: Readonly<Record<string, string>> = {
  unknown: '401 unauthorized',
  'users-only': '403 user_token_required',
  forbidden: '403 forbidden',
  denied: '403 permission_denied',
  'no-such': '404 not_found',
  unclear: '400 invalid_request', // a write that must name one of several networks
};

export const TABLES = { ...ACCOUNT_TABLES, ...RECORD_TABLES, ...TOOL_TABLES } as const;
