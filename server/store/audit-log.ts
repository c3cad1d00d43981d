// Who did what to accounts, tokens, members and networks. Never holds a secret.
import type { Transaction } from './database.ts';

export type AuditEntry = {
  actor: string;
  action: string;
  target_type: string;
  target_id: string | null;
  detail: string | null;
  ip: string | null;
  network_id: string | null;
};

export async function insert(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(
    'INSERT INTO audit_log (actor, action, target_type, target_id, detail, ip, network_id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    [entry.actor, entry.action, entry.target_type, entry.target_id, entry.detail, entry.ip, entry.network_id, tx.now],
  );
}
