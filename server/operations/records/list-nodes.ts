// Lists nodes: the last known attributes of every node_id ever reported.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_REST_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { nodeRecord } from '../../domain/node.ts';
import type { Page } from '../../store/lists/newest.ts';
import * as nodes from '../../store/nodes.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';

export const listNodes = operation({
  name: 'list_nodes',
  summary: 'List the nodes that agents reported, newest first.',
  access: 'read',
  input: v.object({
    network_id: fields.networkId,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_REST_LIMIT, MAX_REST_LIMIT),
  }),
  run: async (hub, caller, request, { store }) => {
    const scope = { networks: caller.networks, cursors: numbered(hub, 'nodes') };
    const read = (asked: Page) => store.read((reader) => nodes.list(reader, asked));
    const { items, ...page } = await readPage(scope, request, read);
    return { ok: true, nodes: items.map(nodeRecord), ...page };
  },
});
