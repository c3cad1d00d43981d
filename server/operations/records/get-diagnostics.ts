// Diagnoses the running hub for system admins: what `agenthub doctor` reads through the operator socket, and who uses
// the hub most.
import * as v from 'valibot';
import type { Caller } from '../../domain/accounts/caller.ts';
import { adminOnly, HubError } from '../../domain/errors.ts';
import { type Finding, ok, warn } from '../../domain/health/finding.ts';
import { inspectedFindings, lostDatabase } from '../../domain/health/inspected.ts';
import type { Used } from '../../events/usage.ts';
import type { Hub } from '../../hub.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as tokens from '../../store/tokens.ts';
import { type Arrival, operation } from '../operation.ts';
import { diagnosticsOf } from '../operator/diagnostics.ts';

export const getDiagnostics = operation({
  name: 'get_diagnostics',
  summary: 'Diagnose the hub: findings, sizes, slowest requests and use (system admin).',
  access: 'account',
  input: v.object({}),
  run: async (hub, caller, _input, { store, arrival }) => {
    if (caller.system_role !== 'admin') throw adminOnly();
    const { findings, ...facts } = diagnosticsOf(hub);
    const address = addressOf(hub, caller, arrival?.());
    const ofDatabase = await databaseFindings(hub);
    return store.read(async (reader) => ({
      ok: true,
      ...facts,
      address,
      findings: [...findings, ...ofDatabase, addressFinding(address)],
      ...(await usageOf(hub, reader)),
    }));
  },
});

/** The addresses of the hub, and what it sees of this request: a proxy may change both names and addresses. */
function addressOf({ url, settings }: Hub, { ip }: Caller, arrival: Arrival | undefined) {
  return {
    local_url: url ?? null,
    public_url: settings.public_url ?? null,
    host: arrival?.host ?? null,
    client: ip,
    is_forwarded: arrival?.isForwarded ?? false,
    trust_proxy: settings.trust_proxy,
  };
}

function addressFinding({ local_url, host, client, is_forwarded, trust_proxy }: ReturnType<typeof addressOf>): Finding {
  const way = is_forwarded ? ', through a proxy' : '';
  const says = `${local_url === null ? '' : `${local_url} on this machine; `}this request came from ${client} for ${host ?? '?'}${way}`;
  return is_forwarded && trust_proxy === 0
    ? warn(
        'address',
        `${says}, which counts as the client`,
        'set trust_proxy to the number of proxies, so that limits and the audit log see the clients',
      )
    : ok('address', says);
}

/** Those of several hubs on one database. */
async function databaseFindings({ store: { cluster } }: Hub): Promise<Finding[]> {
  if (cluster === undefined) return [];
  try {
    return inspectedFindings(await cluster.inspect(), cluster.schema);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return [lostDatabase(error.message)];
  }
}

const LISTED = 10;

/** The tokens and networks with the most calls since the start of the hub. */
async function usageOf({ usage }: Hub, reader: Reader) {
  const ofNetworks = usage.topNetworks(LISTED).map(async ([network_id, used]) => ({
    network_id,
    network_name: (await networks.find(reader, network_id))?.network_name ?? null,
    ...usedRecord(used),
  }));
  const ofTokens = usage.topTokens(LISTED).map(async ([token_id, used]) => {
    const { name, username } = (await tokens.findName(reader, token_id)) ?? { name: null, username: null };
    return { token_id, name, username, ...usedRecord(used) };
  });
  return { networks: await Promise.all(ofNetworks), tokens: await Promise.all(ofTokens) };
}

function usedRecord({ calls, refused, seconds }: Used) {
  return { calls, refused, seconds: Math.round(seconds * 1_000) / 1_000 };
}
