// audit log: lists the audit log of the hub, newest first.
import * as v from 'valibot';
import { auditRecord } from '../../domain/accounts/audit-entry.ts';
import * as fields from '../../domain/fields.ts';
import * as auditLog from '../../store/audit-log.ts';
import { numbered, readPage } from '../page.ts';
import { inSlices } from '../slices.ts';
import { namedNetwork } from './named.ts';
import { listPage, operatorOperation } from './operator-operation.ts';

export const listAuditLog = operatorOperation({
  name: 'audit log',
  input: v.object({
    action: v.optional(fields.name),
    actor: v.optional(fields.name),
    network: v.optional(fields.name),
    ...listPage,
  }),
  run: async (hub, { network, ...request }) => {
    const networks =
      network === undefined ? [] : [(await hub.store.read((reader) => namedNetwork(reader, network))).network_id];
    const list = network === undefined ? auditLog.listAll : auditLog.listSlice;
    const scope = { networks, cursors: numbered(hub, 'audit_log') };
    const read = inSlices(hub, (reader, slice) => list(reader, request, slice));
    const { items, ...page } = await readPage(scope, request, read);
    return { ok: true, entries: items.map((entry) => auditRecord(entry, hub.publicIds)), ...page };
  },
});
