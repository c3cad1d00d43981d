// cluster drain: asks one of the hubs that share the database of this one to stop.
import * as v from 'valibot';
import { invalidInput } from '../../../domain/errors.ts';
import * as fields from '../../../domain/fields.ts';
import { operatorOperation } from '../operator-operation.ts';

export const drainHub = operatorOperation({
  name: 'cluster drain',
  input: v.object({ hub_id: fields.name, force: v.boolean() }),
  run: async ({ store: { cluster } }, { hub_id, force }) => {
    if (cluster === undefined) throw invalidInput('this hub is not part of a cluster');
    return { ok: true, outcome: await cluster.drain(hub_id, force) };
  },
});
