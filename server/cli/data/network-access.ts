// network members, invite and others: who has access to a network of the hub in a data directory, and in which role.
import { createInvite } from '../../operations/operator/networks/create-invite.ts';
import { listInvites } from '../../operations/operator/networks/list-invites.ts';
import { listMembers } from '../../operations/operator/networks/list-members.ts';
import { removeMember } from '../../operations/operator/networks/remove-member.ts';
import { setMemberRole } from '../../operations/operator/networks/set-member-role.ts';
import { withdrawInvite } from '../../operations/operator/networks/withdraw-invite.ts';
import { facts, type OutputOptions, sayAnswer, sayLine, table, zoned } from '../output.ts';
import { type ConfirmOptions, confirm } from '../prompt.ts';
import { asOperator, type DataOptions, listAsOperator } from './as-operator.ts';

type Options = DataOptions & OutputOptions;

export async function networkMembers(network: string, options: Options): Promise<void> {
  sayAnswer(options, await listAsOperator(options, listMembers, 'members', { network }), ({ members }) =>
    table(
      ['USERNAME', 'ROLE', 'NAME', 'JOINED', 'ID'],
      members.map(({ username, role, display_name, joined_at, user_id }) => [
        username,
        role,
        display_name,
        zoned(joined_at),
        user_id,
      ]),
    ),
  );
}

export async function networkSetRole(network: string, user: string, role: string, options: Options): Promise<void> {
  sayLine(
    options,
    await asOperator(options, setMemberRole, { network, user, role }),
    ({ username, network_name }) => `${username} is now a ${role} of ${network_name}`,
  );
}

export async function networkRemoveMember(
  network: string,
  user: string,
  options: Options & ConfirmOptions,
): Promise<void> {
  await confirm(
    options,
    async () =>
      `This removes ${user} from the network ${network}, with their tokens for it, and closes their connections.`,
  );
  sayLine(
    options,
    await asOperator(options, removeMember, { network, user }),
    ({ username, network_name }) => `removed ${username} from ${network_name}`,
  );
}

type InviteOptions = Options & { role?: string; uses?: number; expiresInDays?: number };

export async function networkInvite(network: string, options: InviteOptions): Promise<void> {
  const { role, uses: max_uses, expiresInDays: expires_in_days } = options;
  const invite = await asOperator(options, createInvite, { network, role, max_uses, expires_in_days });
  sayAnswer(options, invite, ({ invite_code, url, max_uses, expires_at, ...created }) =>
    facts([
      ['invite code', invite_code],
      ['link', url && `${url}/#join=${invite_code}`],
      ['network', created.network_name],
      ['role', created.role],
      ['uses', max_uses],
      ['expires', zoned(expires_at)],
    ]),
  );
}

export async function networkInvites(network: string, options: Options): Promise<void> {
  sayAnswer(options, await listAsOperator(options, listInvites, 'invites', { network }), ({ invites }) =>
    invites.length === 0
      ? 'no invites'
      : table(
          ['ID', 'ROLE', 'USED', 'CREATED', 'EXPIRES'],
          invites.map(({ invite_id, role, uses, max_uses, created_at, expires_at }) => [
            invite_id,
            role,
            `${uses}/${max_uses}`,
            zoned(created_at),
            zoned(expires_at),
          ]),
        ),
  );
}

export async function networkWithdrawInvite(
  network: string,
  inviteId: string,
  options: Options & ConfirmOptions,
): Promise<void> {
  await confirm(options, async () => `This withdraws the invite ${inviteId} to the network ${network} for good.`);
  sayLine(
    options,
    await asOperator(options, withdrawInvite, { network, invite_id: inviteId }),
    ({ invite_id, network_name }) => `withdrew ${invite_id} of ${network_name}`,
  );
}
