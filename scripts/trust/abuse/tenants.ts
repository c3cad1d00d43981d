// One tenant attacks in every known expensive way, while the tenant next door is served.
import type { Hub } from '../hub.ts';
import type { Row, Trial } from '../row.ts';
import { type Attack, openGround, type Strike } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { errorsIn } from './health.ts';
import { beside, type Harm, MAX_P99_MS, MAX_STALL_MS, whileAlive } from './impact.ts';

const MEBIBYTE = 1024 * 1024;

type Suffered = Harm & { name: string };

/** With these attacks only. */
export const tenantsUnder = (attacks: readonly Attack[]): Row => ({
  name: 'tenants',
  promise: 'one tenant cannot slow or stop another',
  test: (seconds) =>
    `${attacks.length} attacks of ${seconds} s, each next to a tenant that sends and reads continuously`,
  target: `no error, p99 < ${MAX_P99_MS} ms, no stall of the event loop > ${MAX_STALL_MS} ms`,
  amounts: { least: 0.2, quick: 3, long: 15 },
  isAlone: true,
  run: async (trial) => {
    const harms: Suffered[] = [];
    for (const attack of attacks) harms.push(await suffer(trial, attack));
    return {
      figure: figureOf(harms),
      complaints: harms.flatMap(({ name, complaints }) => complaints.map((each) => `${name}: ${each}`)),
    };
  },
});

export const tenants: Row = tenantsUnder(ATTACKS);

/** Each attack uses a separate hub, so that its effects are not attributed to another. */
async function suffer(trial: Trial, attack: Attack): Promise<Suffered> {
  const hub = await trial.start();
  try {
    return await whileAlive(hub, () => sufferAt(trial, hub, attack));
  } catch (error) {
    return {
      name: attack.name,
      p99: 0,
      stall: 0,
      grown: 0,
      tasks: [],
      complaints: [error instanceof Error ? error.message : String(error)],
    };
  } finally {
    await hub.kill('SIGKILL');
  }
}

async function sufferAt(trial: Trial, hub: Hub, attack: Attack): Promise<Suffered> {
  const ground = await openGround(trial, hub);
  const strike = await attack.prepare(ground);
  const deadline = performance.now() + trial.amount * 1_000;
  const harm = await beside(hub, ground.neighbour, trial.size, () =>
    strikeUntil(strike, () => performance.now() > deadline),
  );
  return { ...harm, name: attack.name, complaints: [...harm.complaints, ...errorsIn(hub)] };
}

/** Some attacks end at once, which would leave too little to measure. */
async function strikeUntil(strike: Strike, isOver: () => boolean): Promise<string[]> {
  const complaints: string[] = [];
  do complaints.push(...(await strike(isOver)));
  while (!isOver());
  return complaints;
}

function figureOf(harms: readonly Suffered[]): string {
  const worst = (measure: 'p99' | 'stall' | 'grown', unit = 1): string => {
    const [most] = harms.toSorted((one, other) => other[measure] - one[measure]);
    return most === undefined ? 'none' : `${Math.round(most[measure] / unit)} (${most.name})`;
  };
  return `in the worst case: p99 ${worst('p99')} ms, stall ${worst('stall')} ms, memory + ${worst('grown', MEBIBYTE)} MiB`;
}
