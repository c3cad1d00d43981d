// Writes into the audit log what the command line did to the data directory itself: it needs no hub for a backup or an
// export, but a hub should know of it.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_ATTRIBUTE } from '../../domain/limits.ts';
import { auditOperator, operatorOperation } from './operator-operation.ts';

const ACTS = ['hub.backup', 'hub.export', 'hub.restore', 'hub.import'] as const;

export const recordAct = operatorOperation({
  name: 'record act',
  input: v.object({ action: fields.oneOf(ACTS), detail: fields.text(MAX_ATTRIBUTE) }),
  run: (hub, { action, detail }) =>
    hub.store.write(async (tx) => {
      await auditOperator(tx, { action, target: ['hub', null], detail });
      return { ok: true };
    }),
});
