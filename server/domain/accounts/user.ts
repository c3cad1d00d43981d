// A user: a person with a password, a system role and memberships in networks.
import type { Millis } from '../time/clock.ts';

export const SYSTEM_ROLES = ['admin', 'user'] as const;
export type SystemRole = (typeof SYSTEM_ROLES)[number];

export type User = {
  user_id: string;
  username: string;
  display_name: string;
  role: SystemRole;
  email: string | null;
  password_hash: string;
  created_at: Millis;
  /** Since when the user is disabled and their tokens are suspended; null if enabled. */
  disabled_at: Millis | null;
};

export type UserRecord = { user_id: string; username: string; display_name: string; role: SystemRole };

export function userRecord(user: UserRecord): UserRecord {
  return { user_id: user.user_id, username: user.username, display_name: user.display_name, role: user.role };
}

const USERNAME = /^[A-Za-z0-9_\p{Script=Han}]+$/u;

export function isUsername(name: string): boolean {
  return USERNAME.test(name);
}

/** The form used to compare usernames: case-insensitive. */
export function usernameKey(username: string): string {
  return username.toLowerCase();
}
