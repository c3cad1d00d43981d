// Writes one entry of the audit log, in the transaction of the action. Details never hold a secret.
import * as auditLog from '../../store/audit-log.ts';
import type { Transaction } from '../../store/engine/transaction.ts';

export type Action = {
  action: string;
  target: [type: string, id: string | null];
  network_id?: string | null;
  detail?: string;
};

export function audit(
  tx: Transaction,
  caller: { username: string; ip: string | null },
  { action, target, network_id, detail }: Action,
): Promise<void> {
  return auditLog.insert(tx, {
    actor: caller.username,
    action,
    target_type: target[0],
    target_id: target[1],
    detail: detail ?? null,
    ip: caller.ip,
    network_id: network_id ?? null,
  });
}
