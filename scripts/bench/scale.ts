// Measures how a hub scales with the number of tasks: bytes per task, the time of reads and of a send at each size, and
// at the largest size the longest stall while twenty clients list, three consoles search and a network is deleted. A
// request that scans growing data shows as a ratio above 1.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch, type Program } from '../support/program.ts';
import { type Client, startClient } from './client.ts';
import { LANE, NUMBER } from './connection.ts';
import { hubCommand, openAccount, openNetwork, rpc } from './hub.ts';
import type { Job, Measurement } from './load.ts';
import type { Options } from './options.ts';
import { getRequest, postRequest } from './requests.ts';

export type Scale = {
  /** In ascending order. */
  sizes: readonly number[];
  bytesPerTask: number;
  rows: { what: string; p50Ms: number[] }[];
  stall: { longestMs: number; sendsPerSecond: number; sendP99Ms: number };
};

const TASK_CHARACTERS = 190;
const FILLING_CONNECTIONS = 64;
const SECONDS_A_PROBE = 1;
const SECONDS_OF_HEAVY_READS = 10;
const LISTING_CLIENTS = 20;
const CONSOLES = 3;
/** The size of the deleted network as a fraction of the other network. */
const DELETED_PART = 0.1;

type Probe = { what: string; request: (token: string) => string };

const PROBES: readonly Probe[] = [
  { what: 'send_task', request: (token) => sendTo(token, 'probe') },
  { what: 'list_tasks', request: (token) => callRequest(token, 'list_tasks', {}) },
  { what: 'GET /api/tasks', request: (token) => getRequest(token, '/api/tasks') },
  { what: 'GET /api/stats', request: (token) => getRequest(token, '/api/stats') },
  { what: 'get_inbox', request: (token) => callRequest(token, 'get_inbox', { alias: 'agent-07' }) },
  { what: 'text search, found', request: (token) => getRequest(token, '/api/tasks?text=trailing') },
  { what: 'text search, not found', request: (token) => getRequest(token, '/api/tasks?text=nowhere') },
];

export async function measureScale(
  { target, sizes }: Options & { sizes: readonly number[] },
  data: string,
): Promise<Scale> {
  using hub = await launch(hubCommand(target, data));
  using client = startClient();
  const token = await openNetwork(hub);
  const rows = PROBES.map(({ what }) => ({ what, p50Ms: [] as number[] }));
  let filled = 0;
  for (const size of sizes) {
    await fill(client, hub, token, size - filled);
    filled = size;
    for (const [index, { request }] of PROBES.entries())
      rows[index]?.p50Ms.push((await probe(client, hub, request(token))).p50Ms);
  }
  const bytesPerTask = storedBytes(data) / filled;
  return { sizes, bytesPerTask, rows, stall: await measureStall(client, hub, token, filled) };
}

async function fill(client: Client, hub: Program, token: string, tasks: number): Promise<void> {
  process.stderr.write(`filling with ${tasks.toLocaleString('en')} tasks\n`);
  const job = { port: hub.port, request: sendTo(token, `agent-${LANE}`), expected: String.raw`\"ok\":true` };
  const filled = await client.run({ ...job, connections: FILLING_CONNECTIONS, seconds: 3_600, requests: tasks });
  assertNoErrors('filling', filled);
}

/** A task of 190 characters, each one different. */
function sendTo(token: string, alias: string): string {
  const task = `Review change ${NUMBER}: the parser accepts a trailing comma that the grammar refuses. `;
  return callRequest(token, 'send_task', {
    alias,
    task: task.padEnd(TASK_CHARACTERS, 'Add a test and fix it. '),
    ttl_seconds: 86_400,
  });
}

function callRequest(token: string, name: string, args: object): string {
  return postRequest(token, '/mcp', rpc(name, args));
}

async function probe(client: Client, hub: Program, request: string): Promise<Measurement> {
  const measured = await client.run({
    port: hub.port,
    request,
    expected: '"',
    connections: 1,
    seconds: SECONDS_A_PROBE,
  });
  assertNoErrors('a probe', measured);
  return measured;
}

function assertNoErrors(what: string, { errors }: Measurement): void {
  if (errors > 0) throw new Error(`${what}: ${errors} requests failed`);
}

// Includes the log, whose content is not yet in the database file.
function storedBytes(data: string): number {
  const bytesOf = (name: string): number => statSync(join(data, name), { throwIfNoEntry: false })?.size ?? 0;
  return bytesOf('agenthub.db') + bytesOf('agenthub.db-wal');
}

/** The longest time without any response, and the throughput of a sender, while all heavy requests run at once. */
async function measureStall(client: Client, hub: Program, token: string, tasks: number): Promise<Scale['stall']> {
  const deleted = await openAccount(hub, 'doomed');
  await fill(client, hub, deleted.network_token, Math.round(tasks * DELETED_PART));
  using sender = startClient();
  using prober = startClient();
  const seconds = SECONDS_OF_HEAVY_READS;
  const job = { port: hub.port, expected: '"', seconds };
  const reads = new AbortController();
  const heavy = heavyReads(hub, token, reads.signal);
  const [alive, sent] = await Promise.all([
    prober.run({ ...job, request: getRequest(token, '/health/live'), connections: 1 }),
    sender.run({ ...job, request: sendTo(token, 'probe'), connections: 16 } satisfies Job),
    deleteNetwork(hub, deleted),
  ]);
  reads.abort();
  await heavy;
  return { longestMs: alive.maxMs, sendsPerSecond: sent.perSecond, sendP99Ms: sent.p99Ms };
}

async function deleteNetwork(
  { url }: Program,
  { token, network_id }: { token: string; network_id: string },
): Promise<void> {
  const response = await fetch(`${url}/api/networks/${network_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${token}` },
  });
  if (!response.ok) throw new Error(`deleting a network: ${response.status}`);
}

function heavyReads(hub: Program, token: string, signal: AbortSignal): Promise<unknown> {
  const lists = Array.from({ length: LISTING_CLIENTS }, () => onceASecond(hub, token, ['/api/tasks'], signal));
  const pages = [
    '/api/tasks?text=nowhere',
    '/api/stats',
    '/api/stats/throughput?hours=168',
    '/api/messages?from_session=nobody',
  ];
  const consoles = Array.from({ length: CONSOLES }, () => onceASecond(hub, token, pages, signal));
  return Promise.all([...lists, ...consoles]);
}

async function onceASecond(
  { url }: Program,
  token: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  while (!signal.aborted) {
    for (const path of paths)
      await fetch(url + path, { headers, signal }).then(
        (response) => response.text(),
        () => '',
      );
    await sleep(1_000, undefined, { signal }).catch(() => {});
  }
}
