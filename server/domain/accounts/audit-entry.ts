// An entry of the audit log: an action on accounts, tokens, members or networks, and its actor.
import type { PublicIds } from '../ids/public-ids.ts';
import type { Millis } from '../time/clock.ts';
import { timestamp } from '../time/time.ts';

export type AuditEntry = {
  actor: string;
  action: string;
  target_type: string;
  target_id: string | null;
  detail: string | null;
  ip: string | null;
  network_id: string | null;
};

/** The actor of what the operator does on the command line. It contains a space, so it never equals a username. */
export const OPERATOR = 'command line';

export type StoredAuditEntry = AuditEntry & { seq: number; created_at: Millis };

export function auditRecord(entry: StoredAuditEntry, ids: PublicIds) {
  return {
    id: ids.ofNumber('audit_entry', entry.seq),
    actor: entry.actor,
    action: entry.action,
    target_type: entry.target_type,
    target_id: entry.target_id,
    detail: entry.detail,
    ip: entry.ip,
    network_id: entry.network_id,
    created_at: timestamp(entry.created_at),
  };
}
