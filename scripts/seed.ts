// `npm run seed -- --data DIR [--tasks 10000] [--agents 500] [--hours 26]`: fills a data directory with the activity of
// a busy hub, through the hub's own operations under a simulated clock. Sign in as ada with the printed password.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../server/config/config.ts';
import type { Caller } from '../server/domain/accounts/caller.ts';
import { systemClock } from '../server/domain/time/clock.ts';
import type { Hub } from '../server/hub.ts';
import { openPasswords } from '../server/native/passwords.ts';
import { register } from '../server/operations/accounts/register.ts';
import { type AnyOperation, perform } from '../server/operations/operation.ts';
import { identify } from '../server/operations/tokens/identify.ts';
import { flushWriteBehind } from '../server/operations/write-behind.ts';
import { VERSION } from '../server/version.ts';
import { commandLine, positive, wholeNumber } from './command-line.ts';
import { type Action, planActions } from './seed/activity.ts';
import { openInProcessHub } from './support/in-process-hub.ts';

export const SEEDED = { username: 'ada', password: 'correct horse' };

export type SeedSize = { agents: number; tasks: number; hours: number };

/** Actions within this time run together and share a commit. Older ones do not need a resolution of seconds. */
const STEP_MS = { past: 40_000, recent: 4_000 };
const RECENT_MS = 45 * 60_000;

/** Fills the directory, so that a hub can be started on it. */
export async function seed(data: string, size: SeedSize): Promise<void> {
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const end = systemClock.now();
  let moment = Math.floor(end - size.hours * 3_600_000);
  const passwords = openPasswords({ cost: 4 });
  const hub = await openInProcessHub({
    version: VERSION,
    settings: readConfig({ flags: { data }, env: {} }),
    database: join(data, 'agenthub.db'),
    passwords,
    time: { wall: () => moment, monotonic: () => moment },
  });
  const caller = await firstUser(hub);
  for (const step of inSteps(planActions({ ...size, from: moment, to: end }), end - RECENT_MS)) {
    for (const actions of inPhases(step)) {
      moment = Math.max(moment, Math.floor(actions[0]?.at ?? 0));
      await Promise.all(actions.map((action) => run(hub, caller, action)));
    }
    await flushWriteBehind(hub);
  }
  await hub.store.close();
  await passwords.close();
}

async function firstUser(hub: Hub): Promise<Caller> {
  const { network_token } = await perform(register, hub, { ip: '127.0.0.1' }, { ...SEEDED, display_name: 'Ada' });
  const caller = await identify(hub, network_token, '127.0.0.1');
  if (caller === undefined) throw new Error('the new token is not valid');
  return caller;
}

function* inSteps(actions: readonly Action[], recent: number): Generator<Action[]> {
  let step: Action[] = [];
  for (const action of actions) {
    if (step[0] !== undefined && action.at - step[0].at > (action.at < recent ? STEP_MS.past : STEP_MS.recent)) {
      yield step;
      step = [];
    }
    step.push(action);
  }
  yield step;
}

function inPhases(step: readonly Action[]): Action[][] {
  return [0, 1, 2, 3, 4, 5]
    .map((phase) => step.filter((action) => action.phase === phase))
    .filter(({ length }) => length > 0);
}

/** Ignores the refusal of a late action, such as the reply to an expired task. */
async function run(hub: Hub, caller: Caller, { act, after }: Action): Promise<void> {
  const { operation, input, pushed } = act();
  if (operation === undefined) return;
  const response = await perform<object>(operation as AnyOperation, hub, caller, input).catch(() => ({}));
  if (pushed && 'message_id' in response) hub.writeBehind.notified(String(response.message_id), hub.clock.now());
  after?.(response);
}

if (import.meta.main) {
  const { data, ...size } = commandLine('seed', 'Fills a data directory with the activity of a busy hub.')
    .requiredOption('--data <directory>', 'where to')
    .option('--tasks <number>', 'number of tasks', wholeNumber, 10_000)
    .option('--agents <number>', 'number of agents', wholeNumber, 500)
    .option('--hours <number>', 'duration of the activity', positive, 26)
    .parse()
    .opts<SeedSize & { data: string }>();
  await seed(data, size);
  process.stdout.write(`seeded ${data}; sign in as ${SEEDED.username} with “${SEEDED.password}”\n`);
  process.exit(0);
}
