// audit log: shows who changed accounts, tokens, members and networks, newest first, one page at a time.
import { listAuditLog } from '../../operations/operator/list-audit-log.ts';
import { note, type OutputOptions, sayAnswer, table, zoned } from '../output.ts';
import { asOperator, type DataOptions } from './as-operator.ts';

export type AuditOptions = DataOptions &
  OutputOptions & { action?: string; actor?: string; network?: string; limit?: number; cursor?: string };

export async function auditLog(options: AuditOptions): Promise<void> {
  const { action, actor, network, limit, cursor, output } = options;
  const answer = await asOperator(options, listAuditLog, { action, actor, network, limit, cursor });
  sayAnswer(options, answer, ({ entries }) =>
    entries.length === 0
      ? 'no matching entries'
      : table(
          ['WHEN', 'ACTOR', 'ACTION', 'TARGET', 'DETAIL', 'ADDRESS'],
          entries.map((entry) => [
            zoned(entry.created_at),
            entry.actor,
            entry.action,
            entry.target_id ?? entry.target_type,
            entry.detail,
            entry.ip,
          ]),
        ),
  );
  if (answer.next_cursor !== undefined && output !== 'json')
    note(`more entries exist; repeat with --cursor ${answer.next_cursor}`);
}
