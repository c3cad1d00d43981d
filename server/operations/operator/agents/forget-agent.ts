// agent forget: deletes the record of an agent. Its mail and its tasks stay under its alias, and the next report under
// that alias creates the record again.
import * as v from 'valibot';
import { notFound } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { presentStatus } from '../../../domain/session.ts';
import * as sessions from '../../../store/sessions.ts';
import { namedNetwork } from '../named.ts';
import { auditOperator, operatorOperation } from '../operator-operation.ts';

export const forgetAgent = operatorOperation({
  name: 'agent forget',
  input: v.object({ network: fields.name, alias: fields.name }),
  run: (hub, { network: name, alias }) =>
    hub.store.write(async (tx) => {
      const { network_id, network_name } = await namedNetwork(tx, name);
      const session = await sessions.findByAlias(tx, network_id, alias);
      if (session === undefined)
        throw notFound(`agent ${alias} does not exist in ${network_name}; agenthub agent list shows all agents`);
      await sessions.remove(tx, session);
      tx.afterCommit(() => hub.changes.announce({ what: 'agents', network_id }));
      await auditOperator(tx, { action: 'agent.forget', target: ['agent', alias], network_id });
      return { ok: true, network_id, alias, status: presentStatus(session), inbox_count: session.pending };
    }),
});
