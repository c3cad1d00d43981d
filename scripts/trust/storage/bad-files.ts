// Damaged, truncated, foreign and newer database files: the hub rejects them with one clear line, or serves them and
// they are intact.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { mcpClient, ToolError } from '../../../test/support/http/mcp-client.ts';
import { register, restClient } from '../../../test/support/http/rest-client.ts';
import type { Process } from '../../support/process.ts';
import { listeningAt, run, serveArguments } from '../hub.ts';
import { share } from '../lanes.ts';
import { complaint, type Row, type Trial } from '../row.ts';
import { damageIn } from './integrity.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';

const LANES = 2;
const TASKS = 150;
const COPY = { recursive: true, filter: (path: string): boolean => !path.endsWith('.sock') }; // cpSync cannot copy sockets

type Template = { stopped: string; killed: string; token: string };
type Check = { word: 'refused' | 'served' | 'wrong'; why: string };
type FileOutcome = Check & { mutation: Mutation };

export const badFiles: Row = {
  name: 'bad-files',
  promise: 'a damaged or foreign database is rejected, or intact',
  test: (files) => `${files} database files damaged, truncated, foreign or newer, each started on and queried`,
  target: 'a clear line and code 1, or integrity ok, and no crash on requests',
  amounts: { least: MUTATIONS.length, quick: MUTATIONS.length, long: 20 * MUTATIONS.length },
  run: async (trial) => {
    const template = await makeTemplate(trial);
    const outcomes: FileOutcome[] = [];
    const numbers = Array.from({ length: trial.amount }, (_, number) => number);
    await share(numbers, LANES, async (number) => {
      const mutation = MUTATIONS[number % MUTATIONS.length] ?? MUTATIONS[0];
      outcomes.push({ ...(await tryFile(trial, template, mutation)), mutation });
    });
    const count = (word: FileOutcome['word']): number => outcomes.filter((outcome) => outcome.word === word).length;
    return {
      figure: `${count('refused')} refused, ${count('served')} served, ${count('wrong')} neither`,
      complaints: MUTATIONS.flatMap((mutation) => complaintsAbout(mutation, outcomes)),
    };
  },
};

function complaintsAbout(mutation: Mutation, outcomes: readonly FileOutcome[]): string[] {
  const wrong = outcomes.filter((outcome) => outcome.mutation === mutation && outcome.word === 'wrong');
  return complaint(mutation.name, [...new Set(wrong.map(({ why }) => why.replace(/\s+/g, ' ').slice(0, 160)))]);
}

/** A directory of a hub that was stopped gracefully, and one of a hub that was killed with a full log. */
async function makeTemplate(trial: Trial): Promise<Template> {
  const stopped = join(trial.directory(), 'stopped');
  const first = await trial.start({ data: stopped });
  const { networkToken: token } = await register(first.url);
  await sendTasks(first.url, token);
  await first.kill('SIGTERM');
  const killed = join(trial.directory(), 'killed');
  cpSync(stopped, killed, COPY);
  const second = await trial.start({ data: killed });
  await sendTasks(second.url, token);
  await second.kill('SIGKILL');
  return { stopped, killed, token };
}

async function sendTasks(url: string, token: string): Promise<void> {
  const rest = restClient(url, token);
  const numbers = Array.from({ length: TASKS }, (_, number) => number);
  await share(numbers, 8, async (number) => {
    await rest.post('/api/tasks', {
      alias: `worker-${number % 7}`,
      task: `task ${number} ${'x'.repeat(number * 5)}`,
      from_session: `boss-${number}`,
    });
  });
}

async function tryFile(trial: Trial, template: Template, mutation: Mutation): Promise<Check> {
  const data = join(trial.directory(), 'data');
  cpSync(mutation.on === 'killed' ? template.killed : template.stopped, data, COPY);
  mutation.mutate(data, trial.draws);
  const hub = run(trial.command, serveArguments(data));
  const url = await listeningAt(hub);
  return url === undefined ? checkRefusal(hub) : checkService(hub, url, data, template.token);
}

async function checkRefusal(hub: Process): Promise<Check> {
  const { code, signal } = await hub.kill('SIGKILL');
  const output = hub.stderr().trim();
  const isClear = code === 1 && /^agenthub: [^\n]+$/.test(output);
  return isClear
    ? { word: 'refused', why: output }
    : { word: 'wrong', why: `ended with ${signal ?? code} and printed ${output.slice(0, 300) || 'nothing'}` };
}

async function checkService(hub: Process, url: string, data: string, token: string): Promise<Check> {
  const failed = await requestAll(url, token);
  const { code, signal } = await hub.kill('SIGTERM');
  if (code !== 0)
    return { word: 'wrong', why: `served, then ended with ${signal ?? code}: ${hub.stderr().trim().slice(0, 200)}` };
  if (failed.length > 0) return { word: 'wrong', why: `served, then returned ${failed[0]}` };
  const damage = damageIn(join(data, 'agenthub.db'));
  return damage === undefined
    ? { word: 'served', why: 'sound' }
    : { word: 'wrong', why: `served although damaged: ${damage}` };
}

/** Responses that no intact hub gives. A token lost with the damage is not a complaint. */
async function requestAll(url: string, token: string): Promise<string[]> {
  const rest = restClient(url, token);
  const questions = [
    ...[
      '/health',
      '/api/tasks?limit=500',
      '/api/messages?limit=500',
      '/api/status',
      '/api/stats',
      '/api/task_events',
    ].map((path) => async () => (await rest.get(path)).status),
    async () => (await rest.post('/api/tasks', { alias: 'worker-1', task: 'one more', from_session: 'boss' })).status,
    async () =>
      mcpClient(url, token)
        .call('get_inbox', { alias: 'worker-1', limit: 100 })
        .then(
          () => 200,
          (error: unknown) => (error instanceof ToolError ? 400 : 500),
        ),
  ];
  const failed: string[] = [];
  for (const [number, ask] of questions.entries()) {
    const status = await ask().catch(() => 'nothing');
    if (typeof status !== 'number' || (status >= 500 && number < 7)) failed.push(`request ${number}: ${status}`);
  }
  return failed;
}
