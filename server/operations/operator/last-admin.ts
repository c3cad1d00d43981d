// A hub keeps an admin who may come in: whatever would take the last one away asks here first, in its own transaction.
import type { User } from '../../domain/accounts/user.ts';
import { lastAdmin } from '../../domain/errors.ts';
import type { Transaction } from '../../store/engine/transaction.ts';
import * as users from '../../store/users.ts';

/** Throws last_admin. One who is shut out already counts for none. */
export async function assertAdminRemains(
  tx: Transaction,
  { user_id, username, role, disabled_at }: User,
): Promise<void> {
  if (role !== 'admin' || disabled_at !== null) return;
  if (!(await users.isOtherAdmin(tx, user_id))) throw lastAdmin(username);
}
