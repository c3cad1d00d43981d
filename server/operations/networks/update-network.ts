// Updates the name, description or member limit of a network.
import * as v from 'valibot';
import * as fields from '../../domain/fields.ts';
import { MAX_MAX_MEMBERS, MAX_NETWORK_NAME, MAX_REASON } from '../../domain/limits.ts';
import { networkRecord } from '../../domain/network.ts';
import * as members from '../../store/members.ts';
import * as networks from '../../store/networks.ts';
import { operation } from '../operation.ts';
import { audit } from '../records/audit.ts';
import { getAsOwner } from './membership.ts';

export const updateNetwork = operation({
  name: 'update_network',
  summary: 'Change the name, description or member limit of a network.',
  access: 'account',
  input: v.object({
    network_id: fields.name,
    network_name: v.optional(fields.text(MAX_NETWORK_NAME, 1)),
    description: v.optional(fields.text(MAX_REASON)),
    max_members: v.optional(fields.wholeNumberFrom(1, MAX_MAX_MEMBERS)),
  }),
  run: (_hub, caller, request, { store }) =>
    store.write(async (tx) => {
      const before = await getAsOwner(tx, caller, request.network_id);
      const after = {
        ...before,
        network_name: request.network_name ?? before.network_name,
        description: request.description ?? before.description,
        max_members: request.max_members ?? before.max_members,
      };
      await networks.update(tx, after);
      await audit(tx, caller, {
        action: 'network.update',
        target: ['network', before.network_id],
        network_id: before.network_id,
        detail: changesIn(request),
      });
      const memberCount = await members.count(tx, before.network_id);
      return {
        ok: true,
        network: { ...networkRecord(after, 'owner'), description: after.description, member_count: memberCount },
      };
    }),
});

function changesIn({ network_id: _, ...given }: Record<string, unknown>): string {
  return (
    Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', ') || 'nothing'
  );
}
