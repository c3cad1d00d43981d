// Stores the audit log. It never contains a secret.
import type { AuditEntry, StoredAuditEntry } from '../domain/accounts/audit-entry.ts';
import type { Reader, Transaction } from './engine/transaction.ts';
import type { Numbered, Slice, SlicePage } from './lists/newest.ts';
import * as newest from './lists/newest.ts';

const COLUMNS = [
  'actor',
  'action',
  'target_type',
  'target_id',
  'detail',
  'ip',
  'network_id',
] as const satisfies readonly (keyof AuditEntry)[];
const SELECTED = `${COLUMNS.join(', ')}, created_at`;

export async function insert(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.run(`INSERT INTO audit_log (${SELECTED}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [
    ...COLUMNS.map((column) => entry[column]),
    tx.now,
  ]);
}

export type AuditFilter = { action?: string | undefined; actor?: string | undefined };

/** Lists entries of these networks, limited to the next `rows` of each network. */
export function listSlice(
  reader: Reader,
  filter: AuditFilter,
  page: SlicePage,
): Promise<Slice<Numbered<StoredAuditEntry>>> {
  return newest.listSlice(
    reader,
    { ...LISTING, network: { id: 'network_id' }, where: conditionsOf(filter) },
    page,
    'newest',
  );
}

/** Lists the entries of all networks, and those without a network. */
export function listAll(
  reader: Reader,
  filter: AuditFilter,
  page: SlicePage,
): Promise<Slice<Numbered<StoredAuditEntry>>> {
  const [along, ...where] = conditionsOf(filter).filter(([, value]) => value !== undefined);
  return newest.listSlice(reader, { ...LISTING, network: undefined, along, where }, page, 'newest');
}

const LISTING = { select: SELECTED, from: 'audit_log', table: 'audit_log', sequence: 'entry_seq' };

function conditionsOf({ action, actor }: AuditFilter) {
  return [
    ['action = ?', action],
    ['actor = ?', actor],
  ] as const;
}
