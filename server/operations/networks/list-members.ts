// Lists the members of a network, newest first.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { DEFAULT_LONG_LIMIT, MAX_REST_LIMIT } from '../../domain/limits.ts';
import { timestamp } from '../../domain/time/time.ts';
import * as members from '../../store/members.ts';
import { operation } from '../operation.ts';
import { numbered, readPage } from '../page.ts';
import { getForReading } from './membership.ts';

export const listMembers = operation({
  name: 'list_members',
  summary: 'List the members of a network.',
  access: 'account',
  input: v.object({
    network_id: fields.name,
    cursor: fields.cursor,
    limit: fields.limit(DEFAULT_LONG_LIMIT, MAX_REST_LIMIT),
  }),
  run: (hub, caller, request, { store }) =>
    store.read(async (reader) => {
      await getForReading(reader, caller, request.network_id);
      const scope = { networks: [request.network_id], cursors: numbered(hub, 'members') };
      const { items, ...page } = await readPage(scope, request, (asked) => members.list(reader, asked));
      return { ok: true, members: items.map(memberRecord), ...page };
    }),
});

export function memberRecord({ user_id, username, display_name, role, joined_at }: members.Member) {
  return { user_id, username, display_name, role, joined_at: timestamp(joined_at) };
}
