// cluster drain: asks a hub to stop, and shows how far it is until it has stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ListedHub } from '../../operations/operator/cluster/list-hubs.ts';
import type { DrainOutcome } from '../../store/engine/cluster.ts';
import type { DatabaseOptions } from '../data/as-operator.ts';
import { CommandError } from '../exit-codes.ts';
import { note, type OutputOptions, sayLine } from '../output.ts';
import { type ClusterAccess, openClusterAccess } from './cluster-access.ts';
import { findHub } from './find-hub.ts';
import { ON_FILE } from './list.ts';

type Options = DatabaseOptions & OutputOptions & { force?: true };

export async function clusterDrain(text: string, options: Options): Promise<void> {
  const access = openClusterAccess(options);
  const { database, hubs } = await access.list();
  if (database === 'file') throw new CommandError(`${ON_FILE}; stop it with SIGTERM`);
  const hub = findHub(hubs, text);
  assertDraining(await access.drain(hub.hub_id, options.force === true), hub);
  await follow(access, hub);
  const { hub_id, hub_name } = hub;
  sayLine(options, { ok: true, hub_id, hub_name, state: 'stopped' }, () => `${hub_name} has stopped`);
}

function assertDraining(outcome: DrainOutcome, { hub_name, last_seen_at }: ListedHub): void {
  if (outcome === 'gone') throw new CommandError(`${hub_name} does not run; it was last seen at ${last_seen_at} UTC`);
  if (outcome === 'last')
    throw new CommandError(
      `${hub_name} is the last hub that serves requests: start another one first, or stop it anyway with --force`,
    );
}

const LOOK_MS = 250;

/** Resolves when the hub has stopped. Ending this command does not stop the drain. */
async function follow(access: ClusterAccess, hub: ListedHub): Promise<void> {
  let shown = '';
  for (;;) {
    const found = await access.stillRunning(hub);
    if (found === undefined) return;
    if (found !== 'unknown') {
      assertNotLost(found);
      const progress = progressOf(found);
      if (progress !== shown) note(progress);
      shown = progress;
    }
    await sleep(LOOK_MS);
  }
}

function assertNotLost({ state, hub_name }: ListedHub): void {
  if (state !== 'lost') return;
  throw new CommandError(
    `${hub_name} has not announced itself for 5 seconds: it was killed, or cannot reach the database; its log shows more`,
  );
}

function progressOf({ hub_name, streams }: ListedHub): string {
  return `${hub_name} is draining; ${streams} ${streams === 1 ? 'stream is' : 'streams are'} open`;
}
