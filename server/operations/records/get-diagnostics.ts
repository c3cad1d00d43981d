// Diagnoses the running hub for system admins: what `agenthub doctor` reads through the operator socket, and who uses
// the hub most.
import * as v from 'valibot';
import { adminOnly } from '../../domain/errors.ts';
import type { Used } from '../../events/usage.ts';
import type { Hub } from '../../hub.ts';
import type { Reader } from '../../store/engine/transaction.ts';
import * as networks from '../../store/networks.ts';
import * as tokens from '../../store/tokens.ts';
import { operation } from '../operation.ts';
import { diagnosticsOf } from '../operator/diagnostics.ts';

export const getDiagnostics = operation({
  name: 'get_diagnostics',
  summary: 'Diagnose the hub: findings, sizes, slowest requests and use (system admin).',
  access: 'account',
  input: v.object({}),
  run: (hub, caller, _input, { store }) => {
    if (caller.system_role !== 'admin') throw adminOnly();
    return store.read(async (reader) => ({ ok: true, ...diagnosticsOf(hub), ...(await usageOf(hub, reader)) }));
  },
});

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
