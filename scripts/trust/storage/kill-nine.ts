// kill -9 at random times under sixteen mixed clients. Everything acknowledged is there after the restart, once.
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { mcpClient } from '../../../test/support/http/mcp-client.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import { type Ledger, startLoad } from '../../../test/support/mixed-load.ts';
import { complaintsOf, listTasks, readRound } from '../../../test/support/store/ledger-audit.ts';
import { type Hub, run, serveArguments } from '../hub.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { flawIn } from './integrity.ts';

/** A database is used for this many kills: each one is audited, and none slows the integrity check of the next. */
const KILLS_PER_DATABASE = 50;
const KILLS_PER_AUDIT = 10;
const LONGEST_ROUND_MS = 120;
const LONGEST_START_MS = 120;

export const killNine: Row = {
  name: 'kill-nine',
  promise: 'acknowledged writes survive kill -9, once',
  test: (kills) => `kill -9 under 16 mixed clients, ${kills} times, and again during every 5th restart`,
  target: '0 lost, 0 duplicated, integrity ok',
  amounts: { least: 20, quick: 50, long: 1_000 },
  run: async (trial) => {
    const metrics = { acknowledged: 0, complaints: [] as string[] };
    for (let kills = 0; kills < trial.amount; kills += KILLS_PER_DATABASE) {
      const { acknowledged, complaints } = await killSeries(trial, Math.min(KILLS_PER_DATABASE, trial.amount - kills));
      metrics.acknowledged += acknowledged;
      metrics.complaints.push(...complaints);
    }
    const figure = `${metrics.acknowledged} acknowledged, ${metrics.complaints.length} lost or duplicated`;
    return { figure, complaints: byKind(metrics.complaints) };
  },
};

function byKind(complaints: readonly string[]): string[] {
  const kinds = Map.groupBy(complaints, (each) => each.split(': ')[0] ?? '');
  return [...kinds].flatMap(([kind, all]) =>
    complaint(
      kind,
      all.map((each) => each.slice(kind.length + 2)),
    ),
  );
}

async function killSeries(trial: Trial, kills: number): Promise<{ acknowledged: number; complaints: string[] }> {
  const data = join(trial.directory(), 'data');
  let hub = await trial.start({ data });
  const { networkToken: token } = await register(hub.url);
  const rounds: Ledger[] = [];
  const complaints: string[] = [];
  for (let kill = 1; kill <= kills; kill++) {
    rounds.push(await workUntilKilled(hub, token, `round-${kill}`, trial));
    if (kill % 5 === 0) await killWhileStarting(trial, data);
    hub = await trial.start({ data });
    const damage = await flawIn(join(data, 'agenthub.db'));
    if (damage !== undefined) complaints.push(`damaged: ${damage}`);
    const isTime = kill % KILLS_PER_AUDIT === 0 || kill === kills;
    if (isTime)
      complaints.push(
        ...(await audit(hub, token, rounds.slice(Math.floor((kill - 1) / KILLS_PER_AUDIT) * KILLS_PER_AUDIT))),
      );
  }
  complaints.push(...(await missingTasks(hub, token, rounds)), ...idleKills(rounds));
  await hub.kill('SIGTERM');
  return { acknowledged: sum(rounds.map(acknowledgedIn)), complaints };
}

/** The time is counted from the first response, because killing an idle hub proves nothing. */
async function workUntilKilled(hub: Hub, token: string, round: string, { draws }: Trial): Promise<Ledger> {
  const load = startLoad(hub.url, token, round);
  await Promise.race([load.begun, load.over]);
  await after(draws.below(LONGEST_ROUND_MS));
  await hub.kill('SIGKILL');
  await load.over;
  return load.ledger;
}

/** Recovery can be interrupted as well. */
async function killWhileStarting({ command, draws }: Trial, data: string): Promise<void> {
  const starting = run(command, serveArguments(data));
  await after(draws.below(LONGEST_START_MS));
  await starting.kill('SIGKILL');
}

async function audit(hub: Hub, token: string, rounds: readonly Ledger[]): Promise<string[]> {
  const [mcp, rest] = [mcpClient(hub.url, token), restClient(hub.url, token)];
  const found = await Promise.all(
    rounds.map(async (ledger) => complaintsOf(ledger, await readRound(mcp, rest, ledger.round))),
  );
  return found.flat();
}

/** The rounds audited before later kills are all still there, each task once. */
async function missingTasks(hub: Hub, token: string, rounds: readonly Ledger[]): Promise<string[]> {
  const stored = await listTasks(restClient(hub.url, token), '');
  const tasks = new Map(stored.map((task) => [task.task_id, task.content]));
  const lost = rounds.flatMap((round) =>
    [...round.tasks].filter(([id, content]) => tasks.get(id) !== content).map(([id]) => `lost at the end: ${id}`),
  );
  return new Set(tasks.values()).size === stored.length ? lost : [...lost, 'a task was stored twice'];
}

/** A kill that interrupts nothing proves nothing. */
function idleKills(rounds: readonly Ledger[]): string[] {
  return rounds.filter(({ brokenOff }) => brokenOff === 0).map(({ round }) => `void, no requests in flight: ${round}`);
}

function acknowledgedIn({ tasks, messages, replies, acked, steered }: Ledger): number {
  return tasks.size + messages.size + replies.size + acked.size + steered.size;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
