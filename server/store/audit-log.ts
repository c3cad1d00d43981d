// The audit log. Never holds a secret.
import type { AuditEntry, StoredAuditEntry } from '../domain/audit-entry.ts';
import type { Reader, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';

const COLUMNS = ['actor', 'action', 'target_type', 'target_id', 'detail', 'ip', 'network_id'] as const satisfies readonly (keyof AuditEntry)[];
const SELECTED = `${COLUMNS.join(', ')}, created_at`;

export async function insert(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(`INSERT INTO audit_log (${SELECTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [...COLUMNS.map((column) => entry[column]), tx.now]);
}

export type AuditFilter = { action?: string | undefined; actor?: string | undefined };

export function list(reader: Reader, filter: AuditFilter, page: Page): Promise<StoredAuditEntry[]> {
  return listNewest(reader, listing('network_id', filter), page);
}

/** Of every network and of none. */
export function listAll(reader: Reader, filter: AuditFilter, page: Page): Promise<StoredAuditEntry[]> {
  return listNewest(reader, listing(undefined, filter), page);
}

function listing(network: string | undefined, { action, actor }: AuditFilter) {
  const where = [['action = ?', action], ['actor = ?', actor]] as const;
  return { select: SELECTED, from: 'audit_log', network, sequence: 'entry_seq', where };
}
