// The audit log. Never holds a secret.
import type { AuditEntry, StoredAuditEntry } from '../domain/audit-entry.ts';
import type { Reader, SqlValue, Transaction } from './database.ts';
import { listNewest, type Page } from './newest.ts';

const COLUMNS = ['actor', 'action', 'target_type', 'target_id', 'detail', 'ip', 'network_id'] as const satisfies readonly (keyof AuditEntry)[];
const SELECTED = `${COLUMNS.join(', ')}, created_at`;

export async function insert(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(`INSERT INTO audit_log (${SELECTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [...COLUMNS.map((column) => entry[column]), tx.now]);
}

export function list(reader: Reader, page: Page): Promise<StoredAuditEntry[]> {
  return listNewest(reader, { select: SELECTED, from: 'audit_log', network: 'network_id', sequence: 'entry_seq' }, page);
}

/** Of every network and of none. */
export function listAll(reader: Reader, { before, limit }: Page): Promise<StoredAuditEntry[]> {
  const older = before === undefined ? '' : 'WHERE entry_seq < ?';
  const args: SqlValue[] = before === undefined ? [limit] : [before, limit];
  return reader.all(`SELECT ${SELECTED}, entry_seq AS seq FROM audit_log ${older} ORDER BY entry_seq DESC LIMIT ?`, args);
}
