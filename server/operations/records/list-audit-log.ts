// Lists the audit log: all of it for a system admin, the entries of owned networks for network owners.
import * as v from 'valibot';
import { auditRecord } from '../../domain/accounts/audit-entry.ts';
import type { Caller } from '../../domain/accounts/caller.ts';
import { forbidden } from '../../domain/errors.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import * as auditLog from '../../store/audit-log.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';
import { inSlices } from '../slices.ts';

export const listAuditLog = operation({
  name: 'list_audit_log',
  summary: 'List the audit log (system admin: all of it; owner: the networks they own).',
  access: 'account',
  input: v.object({
    action: v.optional(fields.name),
    actor: v.optional(fields.name),
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: async (hub, caller, request, context) => {
    const networks = ownedNetworks(caller);
    if (caller.system_role !== 'admin' && networks.length === 0)
      throw forbidden('only system admins and network owners may read the audit log');
    const list = caller.system_role === 'admin' ? auditLog.listAll : auditLog.listSlice;
    const scope = { networks, cursors: numbered(hub, 'audit_log') };
    const read = inSlices(context, (reader, slice) => list(reader, request, slice));
    const { items, ...page } = await readPage(scope, request, read);
    return { ok: true, entries: items.map((entry) => auditRecord(entry, hub.publicIds)), ...page };
  },
});

function ownedNetworks({ memberships }: Caller): string[] {
  return memberships.filter(({ role }) => role === 'owner').map(({ network_id }) => network_id);
}
