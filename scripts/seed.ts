// `npm run seed -- --data DIR [--tasks 10000] [--agents 500] [--hours 26]`: fills a data directory with the life of a
// busy hub, through the hub's own operations under a clock that runs ahead of itself. Sign in as ada with the password
// shown.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../server/config/config.ts';
import type { Caller } from '../server/domain/accounts/caller.ts';
import { systemClock } from '../server/domain/time/clock.ts';
import { type Hub, openHub } from '../server/hub.ts';
import { openPasswords } from '../server/native/passwords.ts';
import { register } from '../server/operations/accounts/register.ts';
import { type AnyOperation, perform } from '../server/operations/operation.ts';
import { identify } from '../server/operations/tokens/identify.ts';
import { flushWriteBehind } from '../server/operations/write-behind.ts';
import { VERSION } from '../server/version.ts';
import { commandLine, positive, wholeNumber } from './command-line.ts';
import { type Deed, planLife } from './seed/life.ts';

export const SEEDED = { username: 'ada', password: 'correct horse' };

export type SeedSize = { agents: number; tasks: number; hours: number };

/** Deeds within so long of each other are done at once and share a commit; what is long past needs no seconds. */
const STEP_MS = { past: 40_000, recent: 4_000 };
const RECENT_MS = 45 * 60_000;
const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, isLevelEnabled: () => false };

/** Fills the directory, which a hub can then be started on. */
export async function seed(data: string, size: SeedSize): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const end = systemClock.now();
  let moment = Math.floor(end - size.hours * 3_600_000);
  const passwords = openPasswords({ cost: 4 });
  const hub = await openHub({
    version: VERSION,
    settings: readConfig({ flags: { data }, env: {} }),
    databaseFile: join(data, 'agenthub.db'),
    setupToken: 'not needed here',
    passwords,
    log: QUIET,
    onFatal: (error) => {
      throw error;
    },
    time: { wall: () => moment, monotonic: () => moment },
  });
  const caller = await firstUser(hub);
  for (const step of inSteps(planLife({ ...size, from: moment, to: end }), end - RECENT_MS)) {
    for (const deeds of inPhases(step)) {
      moment = Math.max(moment, Math.floor(deeds[0]?.at ?? 0));
      await Promise.all(deeds.map((deed) => run(hub, caller, deed)));
    }
    await flushWriteBehind(hub);
  }
  await hub.store.close();
  await passwords.close();
}

async function firstUser(hub: Hub): Promise<Caller> {
  const { network_token } = await perform(register, hub, { ip: '127.0.0.1' }, { ...SEEDED, display_name: 'Ada' });
  const caller = await identify(hub, network_token, '127.0.0.1');
  if (caller === undefined) throw new Error('the new token is not known');
  return caller;
}

function* inSteps(deeds: readonly Deed[], recent: number): Generator<Deed[]> {
  let step: Deed[] = [];
  for (const deed of deeds) {
    if (step[0] !== undefined && deed.at - step[0].at > (deed.at < recent ? STEP_MS.past : STEP_MS.recent)) {
      yield step;
      step = [];
    }
    step.push(deed);
  }
  yield step;
}

function inPhases(step: readonly Deed[]): Deed[][] {
  return [0, 1, 2, 3, 4, 5]
    .map((phase) => step.filter((deed) => deed.phase === phase))
    .filter(({ length }) => length > 0);
}

/** A deed that came too late, such as the reply to an expired task, is refused as it would be in life. */
async function run(hub: Hub, caller: Caller, { act, after }: Deed): Promise<void> {
  const { operation, input, pushed } = act();
  if (operation === undefined) return;
  const answer = await perform<object>(operation as AnyOperation, hub, caller, input).catch(() => ({}));
  if (pushed && 'message_id' in answer) hub.writeBehind.notified(String(answer.message_id), hub.clock.now());
  after?.(answer);
}

if (import.meta.main) {
  const { data, ...size } = commandLine('seed', 'Fill a data directory with the life of a busy hub.')
    .requiredOption('--data <directory>', 'where to')
    .option('--tasks <number>', 'how many tasks', wholeNumber, 10_000)
    .option('--agents <number>', 'how many agents', wholeNumber, 500)
    .option('--hours <number>', 'over how long a time', positive, 26)
    .parse()
    .opts<SeedSize & { data: string }>();
  await seed(data, size);
  process.stdout.write(`seeded ${data}; sign in as ${SEEDED.username} with “${SEEDED.password}”\n`);
  process.exit(0);
}
