// cluster drain: asks a hub to stop, and shows how far it is until it has stopped.
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time/time.ts';
import type { ListedHub } from '../../operations/operator/cluster/list-hubs.ts';
import type { DrainOutcome } from '../../store/engine/cluster.ts';
import { GONE_MS } from '../../store/engine/postgres/alive.ts';
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
  sayLine(
    options,
    { ok: true, hub_id, hub_name, state: 'stopped' },
    () => `${hub_name} has stopped; to undo the drain, start it again`,
  );
}

function assertDraining(outcome: DrainOutcome, { hub_name, last_seen_at }: ListedHub): void {
  if (outcome === 'gone') throw new CommandError(`${hub_name} does not run; it was last seen at ${last_seen_at} UTC`);
  if (outcome === 'last')
    throw new CommandError(
      `${hub_name} is the last hub that serves requests: start another one first, or stop it anyway with --force`,
    );
}

const LOOK_MS = 250;
/** The database server or the hub that is asked may be restarting. */
const LOST_MS = 30 * SECOND_MS;
/** A hub that is asked may break off the connection when it stops. */
const QUIET_MS = SECOND_MS;
/** A hub that has lost the database announces itself at once when it is back, and counts as lost until then. */
const ANNOUNCED_MS = GONE_MS;

/** Resolves when the hub has stopped. Ending this command does not stop the drain. Exported for tests. */
export async function follow(access: ClusterAccess, hub: ListedHub, lostMs = LOST_MS): Promise<void> {
  let lastSaid = '';
  const say = (text: string): void => {
    if (text !== lastSaid) note(text);
    lastSaid = text;
  };
  let lostAt: number | undefined;
  let backAt = -Infinity;
  for (;;) {
    const found = await access.stillRunning(hub).catch(lossIn);
    const now = performance.now();
    if (found === undefined) return;
    if (found instanceof Error) {
      lostAt ??= now;
      if (now - lostAt > lostMs) throw new CommandError(`${found.message}; ${GOES_ON}: run this again to follow it`);
      if (now - lostAt > QUIET_MS)
        say(`${wordsOfLoss(found)}; ${GOES_ON}, and this command tries again for ${lostMs / SECOND_MS} seconds`);
    } else {
      if (lostAt !== undefined) backAt = now;
      lostAt = undefined;
      if (found !== 'unknown' && found.state !== 'lost') say(progressOf(found));
      if (found !== 'unknown' && found.state === 'lost' && now - backAt > ANNOUNCED_MS) throw lost(found);
    }
    await sleep(LOOK_MS);
  }
}

const GOES_ON = 'the drain goes on';

function lossIn(error: unknown): StartError | CommandError {
  if (error instanceof StartError || error instanceof CommandError) return error;
  throw error;
}

/** The remedy is for a database that was never reached. */
function wordsOfLoss(error: StartError | CommandError): string {
  return error instanceof StartError ? error.says : error.message;
}

function lost({ hub_name }: ListedHub): CommandError {
  return new CommandError(
    `${hub_name} has not announced itself for 5 seconds: it was killed, or cannot reach the database; its log shows more`,
  );
}

function progressOf({ hub_name, streams }: ListedHub): string {
  return `${hub_name} is draining; ${streams} ${streams === 1 ? 'stream is' : 'streams are'} open`;
}
