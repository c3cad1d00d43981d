// A hub that runs out of space: sends fail with a clear error and leave nothing behind, reads continue, and everything
// works again once there is space.
import { setTimeout as after } from 'node:timers/promises';
import { openEvents } from '../../../test/support/http/event-reader.ts';
import { type McpClient, mcpClient, ToolError } from '../../../test/support/http/mcp-client.ts';
import { type RestClient, register, restClient } from '../../../test/support/http/rest-client.ts';
import { type JsonObject, textOf } from '../../../test/support/json.ts';
import { listTasks } from '../../../test/support/store/ledger-audit.ts';
import { type Hub, until } from '../hub.ts';
import { complaint, expectSame, type Finding, type Trial } from '../row.ts';

const SENDS_BETWEEN = 40;
const MOST_SENDS_TO_FULL = 3_000;
const SENDS_WHILE_FULL = 20;
const TIMEOUT_MS = 10_000;

/** How space is taken from a hub and given back. */
export type Shortage = { data: string; begin(hub: Hub): void; end(hub: Hub): void };

type Metrics = { acknowledged: Map<string, string>; refused: Set<string>; complaints: string[]; sent: number };
type Cli = { rest: RestClient; mcp: McpClient; metrics: Metrics };

/** As many shortages as the trial's amount, every other one with a kill -9 in it. */
export async function runShortages(trial: Trial, shortage: Shortage): Promise<Finding> {
  const metrics: Metrics = { acknowledged: new Map(), refused: new Set(), complaints: [], sent: 0 };
  let hub = await trial.start({ data: shortage.data });
  const { networkToken: token } = await register(hub.url);
  for (let time = 0; time < trial.amount; time++) {
    await fillAndRefuse(hub, token, shortage, metrics);
    if (time % 2 === 1) await hub.kill('SIGKILL');
    shortage.end(hub);
    if (time % 2 === 1) hub = await trial.start({ data: shortage.data });
    await resume(cliAt(hub, token, metrics));
  }
  metrics.complaints.push(...(await audit(hub, token, metrics)));
  return {
    figure: `${metrics.acknowledged.size} acknowledged, ${metrics.refused.size} rejected`,
    complaints: metrics.complaints,
  };
}

function cliAt(hub: Hub, token: string, metrics: Metrics): Cli {
  return { rest: restClient(hub.url, token), mcp: mcpClient(hub.url, token), metrics };
}

async function fillAndRefuse(hub: Hub, token: string, shortage: Shortage, metrics: Metrics): Promise<void> {
  const cli = cliAt(hub, token, metrics);
  for (let send = 0; send < SENDS_BETWEEN; send++)
    metrics.complaints.push(...expectSame('a send with space left', await post(cli), 'taken'));
  const dueAt = await sendShortLived(cli);
  shortage.begin(hub);
  metrics.complaints.push(...expectSame('a send without space', await refusalOf(post, cli), '503 storage_full'));
  metrics.complaints.push(...expectSame('a tool call without space', await refusalOf(call, cli), 'storage_full'));
  for (let send = 0; send < SENDS_WHILE_FULL; send++) await post(cli);
  await after(Math.max(0, dueAt - performance.now()));
  metrics.complaints.push(...(await readWhileFull(hub, token, cli)));
}

/** The task ends while nothing can be written. Returns when, on the clock of this process. */
async function sendShortLived({ rest, metrics }: Cli): Promise<number> {
  const send = nextSend(metrics);
  const { body } = await rest.post('/api/tasks', { ...send, ttl_seconds: 1 });
  taken(metrics, send.task, body);
  return performance.now() + 1_000;
}

type Sender = (cli: Cli) => Promise<string>;

/** The log can have some room left at its end, and again after a checkpoint. */
async function refusalOf(send: Sender, cli: Cli): Promise<string> {
  for (let sends = 0; sends < MOST_SENDS_TO_FULL; sends++) {
    const response = await send(cli);
    if (response !== 'taken') return response;
  }
  return `none of ${MOST_SENDS_TO_FULL}`;
}

const post: Sender = async ({ rest, metrics }) => {
  const send = nextSend(metrics);
  const { status, body } = await rest.post('/api/tasks', send);
  return status === 200
    ? taken(metrics, send.task, body)
    : refused(metrics, send.task, `${status} ${String(body.error)}`);
};

const call: Sender = async ({ mcp, metrics }) => {
  const send = nextSend(metrics);
  const sending = mcp.call('send_task', send);
  return sending.then(
    (response) => taken(metrics, send.task, response),
    (error: unknown) => refused(metrics, send.task, error instanceof ToolError ? error.error : String(error)),
  );
};

function nextSend(metrics: Metrics): { alias: string; task: string; from_session: string } {
  const number = metrics.sent++;
  return { alias: 'builder', task: `task ${number} ${'x'.repeat(2_000)}`, from_session: `boss-${number}` };
}

function taken(metrics: Metrics, task: string, response: JsonObject): string {
  metrics.acknowledged.set(textOf(response, 'task_id'), task);
  return 'taken';
}

function refused(metrics: Metrics, task: string, word: string): string {
  metrics.refused.add(task);
  return word;
}

async function readWhileFull(hub: Hub, token: string, { rest, mcp, metrics }: Cli): Promise<string[]> {
  const [id] = metrics.acknowledged.keys();
  const paths = ['/health', '/api/tasks', `/api/tasks/${id}`, '/api/status', '/api/messages', '/api/stats'];
  const statuses = await Promise.all(paths.map(async (path) => [path, (await rest.get(path)).status] as const));
  const calls = [
    ['list_tasks', {}],
    ['get_inbox', { alias: 'builder' }],
    ['get_task', { task_id: id }],
  ] as const;
  const failed = calls.map(([tool, args]) =>
    mcp.call(tool, args).then(
      () => [],
      (error: unknown) => [`${tool}: ${String(error)}`],
    ),
  );
  const stream = openEvents(`${hub.url}/events/builder`, token).then(
    (opened) => opened.close().then(() => []),
    (error: unknown) => [String(error)],
  );
  const refusals = (await Promise.all([...failed, stream])).flat();
  return complaint('a read without space failed', [
    ...statuses.filter(([, status]) => status !== 200).map(String),
    ...refusals,
  ]);
}

async function resume(cli: Cli): Promise<void> {
  await until(async () => (await post(cli)) === 'taken', TIMEOUT_MS);
}

async function audit(hub: Hub, token: string, { acknowledged, refused }: Metrics): Promise<string[]> {
  const stored = await listTasks(restClient(hub.url, token), '');
  const tasks = new Map(stored.map((task) => [task.task_id, task.content]));
  return [
    ...complaint(
      'an acknowledged task is gone',
      [...acknowledged].filter(([id, content]) => tasks.get(id) !== content).map(([id]) => id),
    ),
    ...complaint(
      'a rejected task was stored',
      stored.filter(({ content }) => refused.has(String(content))).map(({ task_id }) => task_id),
    ),
  ];
}
