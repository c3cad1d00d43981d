// network list, create, license, delete: manage the networks of the hub in a data directory.
import { createNetwork } from '../../operations/operator/networks/create-network.ts';
import { deleteNetwork } from '../../operations/operator/networks/delete-network.ts';
import { licenseNetwork } from '../../operations/operator/networks/license-network.ts';
import { listNetworks } from '../../operations/operator/networks/list-networks.ts';
import { renameNetwork } from '../../operations/operator/networks/rename-network.ts';
import { showNetwork } from '../../operations/operator/networks/show-network.ts';
import { transferNetwork } from '../../operations/operator/networks/transfer-network.ts';
import { facts, type OutputOptions, sayAnswer, sayLine, table, zoned } from '../output.ts';
import { type ConfirmOptions, confirm } from '../prompt.ts';
import { asOperator, type DataOptions, listAsOperator } from './as-operator.ts';

type Options = DataOptions & OutputOptions;

export async function networkList(options: Options): Promise<void> {
  sayAnswer(options, await listAsOperator(options, listNetworks, 'networks', {}), ({ networks }) =>
    table(
      ['ID', 'NAME', 'OWNER', 'MEMBERS', 'AGENTS', 'TASKS', 'CREATED', 'TRIAL ENDS'],
      networks.map((network) => [
        network.network_id,
        network.network_name,
        network.owner,
        `${network.members}/${network.max_members}`,
        network.sessions,
        network.tasks,
        zoned(network.created_at),
        zoned(network.trial_ends_at),
      ]),
    ),
  );
}

export async function networkCreate(
  name: string,
  options: Options & { owner: string; description?: string },
): Promise<void> {
  const { owner, description } = options;
  sayLine(
    options,
    await asOperator(options, createNetwork, { name, owner, description }),
    (created) => `created ${created.network_id} (${created.network_name}) for ${created.owner}`,
  );
}

export async function networkLicense(network: string, options: Options & { until: string }): Promise<void> {
  sayLine(
    options,
    await asOperator(options, licenseNetwork, { network, until: options.until }),
    ({ network_id, trial_ends_at }) =>
      trial_ends_at === null
        ? `${network_id} has no trial limit`
        : `the trial of ${network_id} ends ${zoned(trial_ends_at)}`,
  );
}

export async function networkShow(network: string, options: Options): Promise<void> {
  sayAnswer(options, await asOperator(options, showNetwork, { network }), ({ network, online, open_invites }) =>
    facts([
      ['name', network.network_name],
      ['id', network.network_id],
      ['description', network.description],
      ['owner', network.owner],
      ['members', `${network.members} of at most ${network.max_members}`],
      ['agents', `${network.sessions} (${online} online)`],
      ['tasks', network.tasks],
      ['open invites', open_invites],
      ['created', zoned(network.created_at)],
      ['trial ends', zoned(network.trial_ends_at)],
    ]),
  );
}

export async function networkRename(network: string, name: string, options: Options): Promise<void> {
  sayLine(
    options,
    await asOperator(options, renameNetwork, { network, name }),
    ({ network_id, previous_name, network_name, changed }) =>
      changed
        ? `renamed ${network_id} from ${previous_name} to ${network_name}`
        : `${network_id} is already named ${network_name}`,
  );
}

export async function networkTransfer(network: string, user: string, options: Options): Promise<void> {
  sayLine(
    options,
    await asOperator(options, transferNetwork, { network, user }),
    ({ network_id, network_name, owner }) => `${owner} now owns ${network_id} (${network_name})`,
  );
}

export async function networkDelete(name: string, options: Options & ConfirmOptions & { force?: true }): Promise<void> {
  await confirm(options, async () => consequences(await asOperator(options, showNetwork, { network: name })));
  sayLine(
    options,
    await asOperator(options, deleteNetwork, { network: name, force: options.force }),
    ({ network_id, network_name }) => `deleted ${network_id} (${network_name}) with everything in it`,
  );
}

function consequences({ network, online }: Awaited<ReturnType<typeof showNetwork.run>>): string {
  const { network_name, network_id, owner, members, sessions, tasks } = network;
  return [
    `This deletes the network ${network_name} (${network_id}) of ${owner} with everything in it:`,
    `${members} members, ${sessions} agents (${online} online), ${tasks} tasks, and all messages, tokens, invites and notifiers.`,
  ].join('\n');
}
