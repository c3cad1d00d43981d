// Keeps at least one enabled admin: every change that could remove the last one checks here first, in its own
// transaction.
import type { User } from '../../../domain/accounts/user.ts';
import { lastAdmin } from '../../../domain/errors.ts';
import type { Transaction } from '../../../store/engine/transaction.ts';
import * as users from '../../../store/users.ts';

/** Throws last_admin. A disabled admin does not count. */
export async function assertAdminRemains(
  tx: Transaction,
  { user_id, username, role, disabled_at }: User,
): Promise<void> {
  if (role !== 'admin' || disabled_at !== null) return;
  if (!(await users.isOtherAdmin(tx, user_id))) throw lastAdmin(username);
}
