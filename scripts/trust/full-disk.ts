// A full disk: sends are refused in so many words and leave nothing behind, reads go on, and when there is space again so does
// everything else. The disk is a small one of its own, filled to the last byte by a file beside the database.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { textOf, type JsonObject } from '../../test/support/json.ts';
import { listTasks } from '../../test/support/ledger-audit.ts';
import { mcpClient, ToolError, type McpClient } from '../../test/support/mcp-client.ts';
import { register, restClient, type RestClient } from '../../test/support/rest-client.ts';
import { until, type Hub } from './hub.ts';
import { complaint, expectSame, type Row, type Trial } from './row.ts';

const DISK_MIB = 64;
const SENDS_BETWEEN = 40;
const MOST_SENDS_TO_FULL = 3_000;
const SENDS_WHILE_FULL = 20;
const PATIENCE_MS = 10_000;

type Tally = { acknowledged: Map<string, string>; refused: Set<string>; complaints: string[]; sent: number };
type Desk = { rest: RestClient; mcp: McpClient; tally: Tally };

export const fullDisk: Row = {
  name: 'full-disk',
  promise: 'a full disk refuses sends, loses nothing and heals',
  test: (times) => `a ${DISK_MIB} MiB disk filled to the last byte ${times} times, every other time with a kill -9 while it is full`,
  target: '503 storage_full, reads go on, 0 lost',
  amounts: { least: 1, quick: 4, long: 40 },
  run: async (trial) => {
    const disk = mountSmallDisk(trial);
    if (disk === undefined) return { skipped: 'a small disk can be mounted by root only' };
    const tally: Tally = { acknowledged: new Map(), refused: new Set(), complaints: [], sent: 0 };
    const data = join(disk, 'data');
    let hub = await trial.start({ data });
    const { networkToken: token } = await register(hub.url);
    for (let time = 0; time < trial.amount; time++) {
      const ballast = join(disk, 'ballast');
      await fillAndRefuse(hub, token, ballast, tally);
      if (time % 2 === 1) hub = await restartOnSpace(trial, hub, ballast);
      rmSync(ballast, { force: true });
      await resume(deskAt(hub, token, tally));
    }
    tally.complaints.push(...(await audit(hub, token, tally)));
    return { figure: `${tally.acknowledged.size} acknowledged, ${tally.refused.size} refused`, complaints: tally.complaints };
  },
};

function mountSmallDisk(trial: Trial): string | undefined {
  const disk = join(trial.directory(), 'disk');
  mkdirSync(disk);
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m`, 'tmpfs', disk]);
  if (status !== 0) return undefined;
  trial.atEnd(() => spawnSync('umount', ['-l', disk]));
  return disk;
}

function deskAt(hub: Hub, token: string, tally: Tally): Desk {
  return { rest: restClient(hub.url, token), mcp: mcpClient(hub.url, token), tally };
}

async function fillAndRefuse(hub: Hub, token: string, ballast: string, tally: Tally): Promise<void> {
  const desk = deskAt(hub, token, tally);
  for (let send = 0; send < SENDS_BETWEEN; send++) tally.complaints.push(...expectSame('a send with space left', await post(desk), 'taken'));
  fill(ballast);
  tally.complaints.push(...expectSame('a send without space', await refusalOf(post, desk), '503 storage_full'));
  tally.complaints.push(...expectSame('a tool call without space', await refusalOf(call, desk), 'storage_full'));
  for (let send = 0; send < SENDS_WHILE_FULL; send++) await post(desk);
  tally.complaints.push(...(await readWhileFull(desk)));
}

/** In ever smaller pieces, until not one byte more goes in. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w');
  for (let size = 1024 * 1024; size >= 1; ) {
    try {
      writeSync(descriptor, Buffer.alloc(size, 'x'));
    } catch {
      size = Math.floor(size / 2);
    }
  }
  closeSync(descriptor);
}

type Sender = (desk: Desk) => Promise<string>;

/** The log may have some room left at its end, and again after it was moved into the database. */
async function refusalOf(send: Sender, desk: Desk): Promise<string> {
  for (let sends = 0; sends < MOST_SENDS_TO_FULL; sends++) {
    const answer = await send(desk);
    if (answer !== 'taken') return answer;
  }
  return `none of ${MOST_SENDS_TO_FULL}`;
}

const post: Sender = async ({ rest, tally }) => {
  const send = nextSend(tally);
  const { status, body } = await rest.post('/api/tasks', send);
  return status === 200 ? taken(tally, send.task, body) : refused(tally, send.task, `${status} ${String(body.error)}`);
};

const call: Sender = async ({ mcp, tally }) => {
  const send = nextSend(tally);
  const answered = mcp.call('send_task', send);
  return answered.then((answer) => taken(tally, send.task, answer), (error: unknown) => refused(tally, send.task, error instanceof ToolError ? error.error : String(error)));
};

function nextSend(tally: Tally): { alias: string; task: string; from_session: string } {
  const number = tally.sent++;
  return { alias: 'builder', task: `task ${number} ${'x'.repeat(2_000)}`, from_session: `boss-${number}` };
}

function taken(tally: Tally, task: string, answer: JsonObject): string {
  tally.acknowledged.set(textOf(answer, 'task_id'), task);
  return 'taken';
}

function refused(tally: Tally, task: string, word: string): string {
  tally.refused.add(task);
  return word;
}

async function readWhileFull({ rest, mcp, tally }: Desk): Promise<string[]> {
  const [id] = tally.acknowledged.keys();
  const paths = ['/health', '/api/tasks', `/api/tasks/${id}`, '/api/status', '/api/messages', '/api/stats'];
  const statuses = await Promise.all(paths.map(async (path) => [path, (await rest.get(path)).status] as const));
  const listed = await mcp.call('list_tasks', {}).then(() => [], (error: unknown) => [`list_tasks: ${String(error)}`]);
  return complaint('a read without space failed', [...statuses.filter(([, status]) => status !== 200).map(String), ...listed]);
}

async function restartOnSpace(trial: Trial, hub: Hub, ballast: string): Promise<Hub> {
  await hub.kill('SIGKILL');
  rmSync(ballast);
  return trial.start({ data: hub.data });
}

async function resume(desk: Desk): Promise<void> {
  await until(async () => (await post(desk)) === 'taken', PATIENCE_MS);
}

async function audit(hub: Hub, token: string, { acknowledged, refused }: Tally): Promise<string[]> {
  const stored = await listTasks(restClient(hub.url, token), '');
  const tasks = new Map(stored.map((task) => [task.task_id, task.content]));
  return [
    ...complaint('an acknowledged task is gone', [...acknowledged].filter(([id, content]) => tasks.get(id) !== content).map(([id]) => id)),
    ...complaint('a refused task was stored', stored.filter(({ content }) => refused.has(String(content))).map(({ task_id }) => task_id)),
  ];
}
