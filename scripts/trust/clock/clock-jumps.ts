// The clock is set forward by a year and back again, back by an hour, and beyond what can be stored. Timestamps never
// go back, and the hub's time never stops.
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { objectOf, textOf } from '../../../test/support/json.ts';
import { NO_FAKETIME } from '../../faketime.ts';
import { type Hub, until } from '../hub.ts';
import { expectSame, type Row, type Trial } from '../row.ts';
import { linesOf, openShiftedHub, type ShiftedHub } from './shifted-clock.ts';

const YEAR_SECONDS = 365 * 86_400;
const HOUR_SECONDS = 3_600;
const TTL_SECONDS = 2;
/** Long enough on a busy machine, and short compared to a year. */
const TIMEOUT_MS = 20_000;
const BEHIND = /"behind_seconds":/;
const UNUSABLE = /after the year 9000/;

type Sent = { id: string; createdAt: string };
/** In seconds. `said` matches one line of the log. */
type Jump = { name: string; away: number; back: number; logged: RegExp };

const JUMPS: readonly [Jump, ...Jump[]] = [
  { name: 'a year forward and back', away: YEAR_SECONDS, back: 0, logged: BEHIND },
  { name: 'an hour back', away: 0, back: -HOUR_SECONDS, logged: BEHIND },
  { name: 'to the year 9500 and back', away: 7_475 * YEAR_SECONDS, back: 0, logged: UNUSABLE },
];

export const clockJumps: Row = {
  name: 'clock-jumps',
  promise: 'wrong clock changes, later corrected, neither turn time back nor stop it',
  test: (jumps) => `${jumps} jumps under a running hub: ${JUMPS.map(({ name }) => name).join(', ')}, then a restart`,
  target: 'items with a ttl expire, sweeps continue, records keep their order, one log line reports it',
  amounts: { least: 1, quick: 3, long: 12 },
  run: async (trial) => {
    const shifted = openShiftedHub(trial);
    if (shifted === undefined) return { skipped: NO_FAKETIME };
    const complaints: string[] = [];
    for (let number = 0; number < trial.amount; number++) {
      const jump = JUMPS[number % JUMPS.length] ?? JUMPS[0];
      for (const each of await tryJump(jump, trial, shifted)) complaints.push(`${jump.name}: ${each}`);
    }
    return { figure: `${trial.amount} jumps, ${complaints.length} complaints`, complaints };
  },
};

async function tryJump({ away, back, logged }: Jump, trial: Trial, shifted: ShiftedHub): Promise<string[]> {
  shifted.moveTo(0);
  const hub = await trial.start({ command: shifted.command });
  const { networkToken } = await register(hub.url);
  const rest = restClient(hub.url, networkToken);
  shifted.moveTo(away);
  const sent = [await send(rest, 'while it is wrong')];
  shifted.moveTo(back);
  sent.push(await send(rest, 'once it is right', { ttl_seconds: TTL_SECONDS }));
  const complaints = await expectToGoOn(rest, sent[1]);
  if (complaints.length === 0) complaints.push(...(await expectSweeps(hub)));
  complaints.push(...expectSame('log lines about it', linesOf(hub.stdout(), logged), 1));
  await hub.kill('SIGTERM');
  const again = await trial.start({ command: shifted.command, data: hub.data });
  sent.push(await send(restClient(again.url, networkToken), 'after a restart'));
  await again.kill('SIGKILL');
  return [...complaints, ...outOfOrder(sent)];
}

async function send(rest: RestClient, task: string, more: object = {}): Promise<Sent> {
  const { body } = await rest.post('/api/tasks', { alias: 'worker', task, from_session: 'boss', ...more });
  const id = textOf(body, 'task_id');
  return { id, createdAt: textOf(objectOf((await rest.get(`/api/tasks/${id}`)).body, 'task'), 'created_at') };
}

async function expectToGoOn(rest: RestClient, sent: Sent | undefined): Promise<string[]> {
  const status = async (): Promise<unknown> =>
    objectOf((await rest.get(`/api/tasks/${sent?.id}`)).body, 'task')['status'];
  await until(async () => (await status()) === 'expired', TIMEOUT_MS, 200).catch(() => {});
  return expectSame(`a task of ${TTL_SECONDS} s, ${TIMEOUT_MS / 1_000} s later`, await status(), 'expired');
}

async function expectSweeps(hub: Hub): Promise<string[]> {
  const runs = async (): Promise<number> =>
    Number(
      /agenthub_sweep_runs_total\{sweep="flush-write-behind"\} (\d+)/.exec(
        await (await fetch(`${hub.url}/metrics`)).text(),
      )?.[1] ?? 0,
    );
  const before = await runs();
  await until(async () => (await runs()) > before, TIMEOUT_MS, 200).catch(() => {});
  return (await runs()) > before ? [] : ['sweeps do not run'];
}

function outOfOrder(sent: readonly Sent[]): string[] {
  const wrong = sent.filter(({ createdAt }, index) => createdAt < (sent[index - 1]?.createdAt ?? ''));
  return wrong.map(({ createdAt }) => `a task of ${createdAt} came after a later one`);
}
