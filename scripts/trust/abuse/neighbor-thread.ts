// The thread of the other tenant. Time in which this thread was delayed, or in which the hub was ready but the
// machine ran other processes, does not count for the hub and is subtracted.
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as after } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { type JsonObject, objectIn, objectOf, textOf } from '../../../test/support/json.ts';
import type { Seen } from './neighbor.ts';

/** The certificates of trials are self-signed. Each new connection is one of a new client. */
const OVER_TLS = { rejectUnauthorized: false, maxCachedSessions: 0 };
const PAUSE_MS = 20;
const PROBE_PAUSE_MS = 5;
const TICK_MS = 5;

type Given = { port: number; pid: number; token: string; isSecure: boolean; newcomers: number };

const { port, pid, token, isSecure, newcomers } = workerData as Given;
const { Agent, request } = isSecure ? https : http;
/** Of the hub's main thread: nanoseconds of running, and of waiting for a processor. Linux only. */
const SCHEDULED = `/proc/${pid}/schedstat`;
/** The hub rejects the twentieth send of the same content. */
const RUN = randomUUID();
const seen: Seen = { latencies: [], probes: [], newcomers: [], refused: [], tasks: [] };
let isOver = false;
let lateMs = 0;

parentPort?.once('message', () => (isOver = true));
const [worker, prober] = [connection(), connection()];
// An active tenant opens its connections before the attack begins. Behind a thousand new ones, another would have to
// wait.
await Promise.all([send(worker, 0), exchange(prober, 'GET', '/health/live')]);
parentPort?.postMessage('ready');
const ticks = countLateness();
await Promise.all([work(), probe(), ...Array.from({ length: newcomers }, connectAgain)]);
clearInterval(ticks);
parentPort?.postMessage(seen);

function countLateness(): NodeJS.Timeout {
  let last = performance.now();
  return setInterval(() => {
    const now = performance.now();
    lateMs += Math.max(0, now - last - 2 * TICK_MS);
    last = now;
  }, TICK_MS);
}

function connection(): http.Agent {
  return new Agent({ keepAlive: true, maxSockets: 1, ...OVER_TLS });
}

async function work(): Promise<void> {
  for (let number = 1; !isOver; number++) {
    await timed(seen.latencies, () => send(worker, number));
    await timed(seen.latencies, () => readInbox(worker));
    await after(PAUSE_MS);
  }
  worker.destroy();
}

async function probe(): Promise<void> {
  while (!isOver) {
    await timed(seen.probes, () => exchange(prober, 'GET', '/health/live'));
    await after(PROBE_PAUSE_MS);
  }
  prober.destroy();
}

async function connectAgain(): Promise<void> {
  const unused = new Agent({ keepAlive: false, ...OVER_TLS });
  while (!isOver) {
    await timed(seen.newcomers, () => exchange(unused, 'GET', '/health/live'));
    await after(PAUSE_MS);
  }
}

async function timed(into: number[], act: () => Promise<unknown>): Promise<void> {
  const [started, late, waited] = [performance.now(), lateMs, waitedMs()];
  await act().catch((error: unknown) => seen.refused.push(error instanceof Error ? error.message : String(error)));
  const lost = Math.max(lateMs - late, waitedMs() - waited); // not their sum: on a busy machine they overlap
  into.push(Math.max(0, performance.now() - started - lost));
}

function waitedMs(): number {
  return existsSync(SCHEDULED) ? Number(readFileSync(SCHEDULED, 'utf8').split(' ')[1]) / 1e6 : 0;
}

async function send(agent: http.Agent, number: number): Promise<void> {
  const sent = await exchange(agent, 'POST', '/api/tasks', {
    alias: 'builder',
    task: `task ${number} of ${RUN}`,
    from_session: `ada-${number}`,
  });
  seen.tasks.push(textOf(sent, 'task_id'));
}

async function readInbox(agent: http.Agent): Promise<void> {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'get_inbox', arguments: { alias: 'builder' } },
  };
  const response = await exchange(agent, 'POST', '/mcp', call);
  if (response.error !== undefined || objectOf(response, 'result').isError === true)
    throw new Error(`get_inbox returned ${JSON.stringify(response).slice(0, 200)}`);
}

async function exchange(agent: http.Agent, method: string, path: string, body?: object): Promise<JsonObject> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(content !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(content) }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, method, path, headers, agent }, resolve).on('error', reject).end(content);
  });
  const reply = await text(response);
  if (response.statusCode !== 200)
    throw new Error(`${method} ${path} returned ${response.statusCode} ${reply.slice(0, 200)}`);
  return objectIn(reply);
}
