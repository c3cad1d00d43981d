// network list, create, license, delete: manage the networks of the hub in a data directory.
import { createNetwork } from '../../operations/operator/networks/create-network.ts';
import { deleteNetwork } from '../../operations/operator/networks/delete-network.ts';
import { licenseNetwork } from '../../operations/operator/networks/license-network.ts';
import { listNetworks } from '../../operations/operator/networks/list-networks.ts';
import { type OutputOptions, sayAnswer, sayLine, table } from '../output.ts';
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
        network.created_at,
        network.trial_ends_at,
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
        : `the trial of ${network_id} ends ${trial_ends_at} UTC`,
  );
}

export async function networkDelete(network: string, options: Options & { force?: true }): Promise<void> {
  const { force } = options;
  sayLine(
    options,
    await asOperator(options, deleteNetwork, { network, force }),
    ({ network_id, network_name }) => `deleted ${network_id} (${network_name}) with everything in it`,
  );
}
