// agent list: lists the agents of a network by alias, with the status that each last had.
import * as v from 'valibot';
import * as fields from '../../../domain/fields.ts';
import { listedSession, STATUS_FILTERS } from '../../../domain/session.ts';
import { readSessions } from '../../sessions/get-all-status.ts';
import { namedNetwork } from '../named.ts';
import { listPage, operatorOperation } from '../operator-operation.ts';

export const listAgents = operatorOperation({
  name: 'agent list',
  input: v.object({ network: fields.name, status: v.optional(fields.oneOf(STATUS_FILTERS)), ...listPage }),
  run: async (hub, { network: name, status, ...request }) => {
    const { network_id } = await hub.store.read((reader) => namedNetwork(reader, name));
    const { items, next } = await readSessions(hub, hub.store.read, [network_id], { status }, request);
    const agents = items.map((session) => ({ ...listedSession(session), inbox_count: session.pending }));
    return { ok: true, network_id, agents, ...next };
  },
});
