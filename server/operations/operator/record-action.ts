// Records in the audit log what the command line did to the data directory. A backup or an export needs no running hub,
// but the hub's audit log should include it.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_ATTRIBUTE } from '../../domain/limits.ts';
import { auditOperator, operatorOperation } from './operator-operation.ts';

const ACTIONS = ['hub.backup', 'hub.export', 'hub.restore', 'hub.import'] as const;

export const recordAction = operatorOperation({
  name: 'record action',
  input: v.object({ action: fields.oneOf(ACTIONS), detail: fields.text(MAX_ATTRIBUTE) }),
  run: (hub, { action, detail }) =>
    hub.store.write(async (tx) => {
      await auditOperator(tx, { action, target: ['hub', null], detail });
      return { ok: true };
    }),
});
