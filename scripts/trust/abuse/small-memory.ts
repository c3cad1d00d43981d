// The attacks of one tenant on another, against a hub limited to half a gibibyte. It rejects what it has no room for,
// and survives.
import { restClient } from '../../../test/support/http/rest-client.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import type { Hub } from '../hub.ts';
import { complaint, type Finding, type Row, type Trial } from '../row.ts';
import { type Attack, type AttackContext, openAttackContext } from './attack.ts';
import { ATTACKS } from './attacks/all.ts';
import { RECEIVER_ARGUMENTS } from './attacks/receivers.ts';
import { pipelinedByCrowd } from './attacks/unread-bodies.ts';
import { ownBytes } from './health.ts';
import { type Impact, measureImpact, whileAlive } from './impact.ts';

const MEBIBYTE = 1024 * 1024;
const LIMIT_MIB = 512;
const LOOK_MS = 10;

/** With these attacks only. */
export const smallMemoryUnder = (attacks: readonly Attack[]): Row => ({
  name: 'small-memory',
  promise: 'with little memory, the hub rejects requests and is not killed',
  test: (seconds) =>
    `${attacks.length} attacks of ${seconds} s, one after the other, on a hub that is killed above ${LIMIT_MIB} MiB`,
  target: 'alive, the other tenant served, 0 acknowledged sends lost',
  amounts: { least: 0.2, quick: 0.5, long: 10 },
  isAlone: true,
  run: async (trial) => {
    if (process.platform !== 'linux') return { skipped: 'the memory of a process is read from /proc' };
    return runAll(trial, await trial.start({ args: RECEIVER_ARGUMENTS }), attacks);
  },
});

export const smallMemory: Row = smallMemoryUnder([...ATTACKS, pipelinedByCrowd]);

async function runAll(trial: Trial, hub: Hub, attacks: readonly Attack[]): Promise<Finding> {
  const context = await openAttackContext(trial, hub);
  limitMemory(hub, trial.atEnd);
  const impacts: Impact[] = [];
  for (const attack of attacks) impacts.push(await runAndCleanUp(trial, hub, context, attack));
  const acknowledged = impacts.flatMap(({ tasks }) => tasks);
  const grown = Math.max(...impacts.map((impact) => impact.grown));
  return {
    figure: `${acknowledged.length} acknowledged, memory at most + ${Math.round(grown / MEBIBYTE)} MiB`,
    complaints: [...impacts.flatMap(({ complaints }) => complaints), ...(await missing(context, acknowledged))],
  };
}

/** Connections of an attack are closed before the next. Times are irrelevant here. */
export async function runAndCleanUp(
  { amount }: Trial,
  hub: Hub,
  context: AttackContext,
  attack: Attack,
): Promise<Impact> {
  const cleanups: (() => unknown)[] = [];
  context.atEnd(() => cleanups.forEach((cleanup) => cleanup()));
  const named = (error: unknown): never => {
    throw new Error(`${attack.name}: ${error instanceof Error ? error.message : String(error)}`);
  };
  const run = await whileAlive(hub, () =>
    attack.prepare({ ...context, atEnd: (cleanup) => void cleanups.push(cleanup) }),
  ).catch(named);
  const deadline = performance.now() + amount * 1_000;
  const impact = await measureImpact(hub, context.neighbor, 'least', () =>
    run(() => performance.now() > deadline),
  ).catch(named);
  for (const cleanup of cleanups) cleanup();
  return { ...impact, complaints: impact.complaints.map((each) => `${attack.name}: ${each}`) };
}

/**
 * Kills the hub above the memory limit, as a container of that size does. A limit on its address space (RLIMIT_AS,
 * RLIMIT_DATA) would count reserved memory that is never touched, and make V8 abort where it could have collected
 * garbage.
 */
function limitMemory({ pid, kill }: Hub, atEnd: (cleanup: () => unknown) => void): void {
  const looking = setInterval(() => ownBytes(pid) > LIMIT_MIB * MEBIBYTE && void kill('SIGKILL'), LOOK_MS);
  atEnd(() => clearInterval(looking));
}

export async function missing({ hub, neighbor }: AttackContext, acknowledged: readonly string[]): Promise<string[]> {
  const stored = new Set(
    (await listTasks(restClient(hub.url, neighbor.networkToken), '')).map(({ task_id: id }) => id),
  );
  return complaint(
    'an acknowledged task is gone',
    acknowledged.filter((id) => !stored.has(id)),
  );
}
