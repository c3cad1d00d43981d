// Lists completions. The same list serves two operations with different defaults.
import * as v from 'valibot';
import type { NetworkReader } from '../../domain/accounts/caller.ts';
import { completionRecord } from '../../domain/completion.ts';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_COMPLETION_LIMIT, DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import type { Hub } from '../../hub.ts';
import * as completions from '../../store/completions.ts';
import type { ScopedStore } from '../../store/engine/database.ts';
import type { Page } from '../../store/lists/newest.ts';
import { operation } from '../operation.ts';
import { numbered, type PageRequest, readPage } from '../page.ts';

const filters = { alias: v.optional(fields.alias), network_id: fields.networkId, cursor: fields.cursor };

export const getCompletions = operation({
  name: 'get_completions',
  summary: 'List completions.',
  access: 'read',
  input: v.object({ ...filters, limit: fields.limit(DEFAULT_COMPLETION_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request, { store }) => list(hub, store, caller, request),
});

/** The same list with the default limit of GET /api/completions. */
export const listCompletions = operation({
  name: 'list_completions',
  summary: 'List completions, newest first.',
  access: 'read',
  input: v.object({ ...filters, limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT) }),
  run: (hub, caller, request, { store }) => list(hub, store, caller, request),
});

async function list(
  hub: Hub,
  store: ScopedStore,
  caller: NetworkReader,
  request: PageRequest & { alias?: string | undefined },
) {
  const scope = { networks: caller.networks, cursors: numbered(hub, 'completions') };
  const read = (asked: Page) => store.read((reader) => completions.list(reader, request, asked));
  const { items, ...page } = await readPage(scope, request, read);
  return { ok: true, completions: items.map(completionRecord), ...page };
}
