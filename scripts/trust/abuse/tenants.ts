// One tenant attacks in every known expensive way, while the other tenant is served.
import type { Hub } from '../hub.ts';
import type { Row, Trial } from '../row.ts';
import { type Attack, type AttackRun, openAttackContext } from './attack.ts';
import { ATTACKS } from './attacks/all.ts';
import { RECEIVER_ARGUMENTS } from './attacks/receivers.ts';
import { errorsIn } from './health.ts';
import { type Impact, MAX_NEWCOMER_MS, MAX_P99_MS, MAX_STALL_MS, measureImpact, whileAlive } from './impact.ts';

const MEBIBYTE = 1024 * 1024;

type AttackImpact = Impact & { name: string };

/** With these attacks only. */
export const tenantsUnder = (attacks: readonly Attack[]): Row => ({
  name: 'tenants',
  promise: 'one tenant cannot slow or stop another',
  test: (seconds) =>
    `${attacks.length} attacks of ${seconds} s, each next to a tenant that sends and reads continuously`,
  target: `no error, p99 < ${MAX_P99_MS} ms, no stall of the event loop > ${MAX_STALL_MS} ms, new connections served within ${MAX_NEWCOMER_MS} ms`,
  amounts: { least: 0.2, quick: 3, long: 15 },
  isAlone: true,
  run: async (trial) => {
    const impacts: AttackImpact[] = [];
    for (const attack of attacks) impacts.push(await runAgainstNewHub(trial, attack));
    return {
      figure: figureOf(impacts),
      complaints: impacts.flatMap(({ name, complaints }) => complaints.map((each) => `${name}: ${each}`)),
    };
  },
});

export const tenants: Row = tenantsUnder(ATTACKS);

/** Each attack uses a separate hub, so that its effects are not attributed to another. */
async function runAgainstNewHub(trial: Trial, attack: Attack): Promise<AttackImpact> {
  const hub = await trial.start({ args: RECEIVER_ARGUMENTS });
  try {
    return await whileAlive(hub, () => measureAttack(trial, hub, attack));
  } catch (error) {
    return {
      name: attack.name,
      p99: 0,
      stall: 0,
      newcomer: 0,
      grown: 0,
      tasks: [],
      complaints: [error instanceof Error ? error.message : String(error)],
    };
  } finally {
    await hub.kill('SIGKILL');
  }
}

async function measureAttack(trial: Trial, hub: Hub, attack: Attack): Promise<AttackImpact> {
  const context = await openAttackContext(trial, hub);
  const run = await attack.prepare(context);
  const deadline = performance.now() + trial.amount * 1_000;
  const impact = await measureImpact(hub, context.neighbor, trial.size, () =>
    runUntil(run, () => performance.now() > deadline),
  );
  return { ...impact, name: attack.name, complaints: [...impact.complaints, ...errorsIn(hub)] };
}

/** Some attacks end at once, which would leave too little to measure. */
async function runUntil(run: AttackRun, isOver: () => boolean): Promise<string[]> {
  const complaints: string[] = [];
  do complaints.push(...(await run(isOver)));
  while (!isOver());
  return complaints;
}

function figureOf(impacts: readonly AttackImpact[]): string {
  const worst = (measure: 'p99' | 'stall' | 'newcomer' | 'grown', unit = 1): string => {
    const [most] = impacts.toSorted((one, other) => other[measure] - one[measure]);
    return most === undefined ? 'none' : `${Math.round(most[measure] / unit)} (${most.name})`;
  };
  return `in the worst case: p99 ${worst('p99')} ms, stall ${worst('stall')} ms, new connection ${worst('newcomer')} ms, memory + ${worst('grown', MEBIBYTE)} MiB`;
}
