// get_all_status and its REST sibling: who is there and what each one does.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { listedAgent, listedSession, STATUS_FILTERS } from '../../domain/session.ts';
import * as sessions from '../../store/sessions.ts';
import { operation } from '../operation.ts';
import { readCurrent } from '../time-passes.ts';

const statusFilter = v.optional(fields.oneOf(STATUS_FILTERS));

export const getAllStatus = operation({
  name: 'get_all_status',
  summary: 'List all agents.',
  access: 'read',
  input: v.object({ filter_status: statusFilter, filter_server: v.optional(fields.attribute), network_id: fields.networkId }),
  run: (hub, caller, request) =>
    readCurrent(hub, async (reader) => {
      const filter = { networks: caller.networks, status: request.filter_status, server: request.filter_server };
      const found = await sessions.list(reader, filter);
      const summary = await sessions.countByStatus(reader, caller.networks);
      return { ok: true, sessions: found.map(listedAgent), summary };
    }),
});

export const listSessions = operation({
  name: 'list_sessions',
  summary: 'List the sessions of a network.',
  access: 'read',
  input: v.object({ status: statusFilter, network_id: fields.networkId }),
  run: (hub, caller, request) =>
    readCurrent(hub, async (reader) => {
      const found = await sessions.list(reader, { networks: caller.networks, status: request.status });
      return { sessions: found.map((session) => ({ ...listedSession(session), inbox_count: session.pending })) };
    }),
});
