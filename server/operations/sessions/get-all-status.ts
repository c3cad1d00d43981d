// get_all_status and its REST counterpart: list the sessions with their status, ordered by alias.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_LONG_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { listedAgent, listedSession, STATUS_FILTERS } from '../../domain/session.ts';
import type { Hub } from '../../hub.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Page, SlicePage } from '../../store/lists/newest.ts';
import * as sessionsByAlias from '../../store/lists/sessions-by-alias.ts';
import * as sessions from '../../store/sessions.ts';
import { readCurrent } from '../expiry.ts';
import { type Context, operation } from '../operation.ts';
import { type Cursors, type PageRequest, readPage } from '../page.ts';
import { inSlices } from '../slices.ts';
import { withHeartbeat } from './presence.ts';

const statusFilter = v.optional(fields.oneOf(STATUS_FILTERS));
const page = { cursor: fields.cursor, limit: fields.limit(DEFAULT_LONG_LIMIT, MAX_REST_LIMIT) };

export const getAllStatus = operation({
  name: 'get_all_status',
  summary: 'List agents.',
  access: 'read',
  input: v.object({
    filter_status: statusFilter,
    filter_server: v.optional(fields.attribute),
    network_id: fields.networkId,
    ...page,
  }),
  run: async (hub, caller, request, context) => {
    const { networks } = caller;
    const filter = { status: request.filter_status, server: request.filter_server };
    const summary = await readCurrent(hub, context.store, (reader) => sessions.countByStatus(reader, networks));
    const { items, next } = sessionsByAlias.hasIndex(filter)
      ? await readSessions(hub, current(hub, context.store), networks, filter, request)
      : await readSlices(hub, context, networks, filter, request);
    const now = hub.clock.now();
    const agents = items.map((session) => listedAgent(withHeartbeat(hub, session, now)));
    return { ok: true, sessions: agents, summary, ...next };
  },
});

export const listSessions = operation({
  name: 'list_sessions',
  summary: 'List the sessions of a network by alias; texts over 500 characters are truncated and end in ….',
  access: 'read',
  input: v.object({
    status: statusFilter,
    with_summary: v.optional(fields.described(fields.yesOrNo, 'whether to count all sessions per status, as summary')),
    network_id: fields.networkId,
    ...page,
  }),
  run: async (hub, { networks }, request, { store }) => {
    const { items, next } = await readSessions(hub, current(hub, store), networks, { status: request.status }, request);
    const now = hub.clock.now();
    const summary = request.with_summary === true && {
      summary: await readCurrent(hub, store, (reader) => sessions.countByStatus(reader, networks)),
    };
    return {
      sessions: items.map((session) => ({
        ...listedSession(withHeartbeat(hub, session, now)),
        inbox_count: session.pending,
      })),
      ...summary,
      ...next,
    };
  },
});

/** Reads one page, in several reads; `next` is false on the last page. */
export function readSessions(
  hub: Hub,
  read: ScopedStore['read'],
  networks: readonly string[],
  filter: sessionsByAlias.SessionFilter,
  request: PageRequest,
) {
  return readListed(hub, networks, request, (page) => read((reader) => sessionsByAlias.list(reader, filter, page)));
}

/** Reads of the current state. */
export function current(hub: Hub, store: ScopedStore): ScopedStore['read'] {
  return (work) => readCurrent(hub, store, work);
}

/** The same for a filter without an index, in several reads. */
function readSlices(
  hub: Hub,
  context: Context,
  networks: readonly string[],
  filter: sessionsByAlias.SessionFilter,
  request: PageRequest,
) {
  const read = inSlices(context, (reader, slice: SlicePage<sessionsByAlias.AliasPosition>) =>
    sessionsByAlias.listSlice(reader, filter, slice),
  );
  return readListed(hub, networks, request, read);
}

async function readListed(
  hub: Hub,
  networks: readonly string[],
  request: PageRequest,
  read: (page: Page<sessionsByAlias.AliasPosition>) => Promise<sessionsByAlias.ListedRow[]>,
) {
  const { items, next_cursor } = await readPage({ networks, cursors: byAlias(hub) }, request, read);
  return { items, next: next_cursor !== undefined && { next_cursor } };
}

// The cursor holds an alias, not a row number: the agent may be gone or renamed when the next page is requested.
function byAlias({ publicIds }: Hub): Cursors<sessionsByAlias.AliasPosition, sessionsByAlias.AliasPosition> {
  return {
    positionOf: ({ alias, network_id }) => ({ alias, network_id }),
    write: ({ alias, network_id }) => publicIds.ofText('sessions', `${network_id} ${alias}`),
    read: (cursor) => {
      const [, network_id, alias] = /^(\S+) (.*)$/s.exec(publicIds.textIn('sessions', cursor) ?? '') ?? [];
      return network_id === undefined || alias === undefined ? undefined : { alias, network_id };
    },
  };
}
