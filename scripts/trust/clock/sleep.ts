// The machine sleeps for hours while a hub runs. Missed sweeps run once, the hub is available at once, and no agent
// that could not report goes offline.
import { mcpClient } from '../../../test/support/http/mcp-client.ts';
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { listOf, textOf } from '../../../test/support/json.ts';
import { NO_FAKETIME } from '../../faketime.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, expectSame, type Row, type Trial } from '../row.ts';
import { cpuSeconds, linesOf, openShiftedHub, type ShiftedHub } from './shifted-clock.ts';

const HOURS = [8, 60];
const HOUR_SECONDS = 3_600;
const MOST_CPU_SECONDS = 2;
const MOST_LINES = 5;
const TIMEOUT_MS = 30_000;
const SETTLING_MS = 2_500;
const SLEPT = /"slept_seconds":/;

type Slept = { hours: number; cpu: number; lines: number; complaints: string[] };

export const sleep: Row = {
  name: 'sleep',
  promise: 'a sleep of the machine costs the hub no work and takes no agent offline',
  test: (sleeps) => `${sleeps} sleeps of ${HOURS.slice(0, sleeps).join(' and ')} hours under a running hub`,
  target: `< ${MOST_CPU_SECONDS} s of CPU time and ${MOST_LINES} log lines after each, one of which reports its length`,
  amounts: { least: 1, quick: 2, long: 6 },
  run: async (trial) => {
    const shifted = openShiftedHub(trial);
    if (shifted === undefined) return { skipped: NO_FAKETIME };
    const sleeps: Slept[] = [];
    for (let number = 0; number < trial.amount; number++)
      sleeps.push(await sleepFor(HOURS[number % HOURS.length] ?? 0, trial, shifted));
    return {
      figure: sleeps
        .map(({ hours, cpu, lines }) => `${hours} h: ${cpu.toFixed(2)} s of CPU time, ${lines} lines`)
        .join('; '),
      complaints: sleeps.flatMap(({ hours, complaints }) => complaint(`after ${hours} h`, complaints)),
    };
  },
};

async function sleepFor(hours: number, trial: Trial, shifted: ShiftedHub): Promise<Slept> {
  shifted.moveTo(0);
  const hub = await trial.start({ command: shifted.command });
  const { networkToken } = await register(hub.url);
  const rest = restClient(hub.url, networkToken);
  await mcpClient(hub.url, networkToken).call('report_status', {
    resume_id: 'builder-1',
    alias: 'builder',
    status: 'working',
  });
  const { body } = await rest.post('/api/tasks', {
    alias: 'worker',
    task: 'soon',
    from_session: 'builder',
    ttl_seconds: HOUR_SECONDS,
  });
  const before = { cpu: cpuSeconds(hub.pid), lines: linesOf(hub.stdout()) };
  shifted.moveTo(hours * HOUR_SECONDS);
  const complaints = await lookAround(hub, rest, textOf(body, 'task_id'));
  const [cpu, lines] = [cpuSeconds(hub.pid) - before.cpu, linesOf(hub.stdout()) - before.lines];
  await hub.kill('SIGKILL');
  return {
    hours,
    cpu,
    lines,
    complaints: [
      ...complaints,
      ...(cpu < MOST_CPU_SECONDS ? [] : [`${cpu.toFixed(1)} s of CPU time`]),
      ...(lines <= MOST_LINES ? [] : [`${lines} log lines`]),
      ...expectSame('log lines with its length', linesOf(hub.stdout(), SLEPT), 1),
    ],
  };
}

async function lookAround(hub: Hub, rest: RestClient, taskId: string): Promise<string[]> {
  await until(() => SLEPT.test(hub.stdout()), TIMEOUT_MS).catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, SETTLING_MS)); // the due sweeps
  const { body } = await rest.get('/api/status');
  const status = listOf(body, 'sessions').find(({ alias }) => alias === 'builder')?.['status'];
  const task = (await rest.get(`/api/tasks/${taskId}`)).body['task'];
  return [
    ...expectSame('the status of an agent of before', status, 'working'),
    ...expectSame(
      'a task of one hour',
      task !== null && typeof task === 'object' && 'status' in task ? task.status : undefined,
      'expired',
    ),
  ];
}
