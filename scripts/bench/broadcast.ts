// Measures many open streams: what agents and their streams cost while nothing happens, and a broadcast to all of them:
// when it is acknowledged and when the last stream receives it, compared with a Koa server that stores nothing.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS } from '../../server/domain/time/time.ts';
import { launch, type Program } from '../support/program.ts';
import { baseline } from './baselines.ts';
import { residentBytes } from './footprint.ts';
import { callTool, hubCommand, openAccount, post } from './hub.ts';
import { median } from './median.ts';
import type { Options } from './options.ts';
import { getRequest } from './requests.ts';

export type Broadcast = { streams: number; hub: Reach; koa: Reach; idle: Idle };
/** Memory for each agent and for each stream, and the processor time of all streams together per minute. */
type Idle = { agentBytes: number; streamBytes: number; cpuMsPerMinute: number };
type Reach = { acknowledgedMs: number; reachedMs: number };

const STREAMS_A_TOKEN = 100;
const ROUNDS = 5;
const AT_ONCE = 100;
const SETTLE_MS = 2_000;
/** At least one heartbeat of each stream. */
const IDLE_MS = 30_000;

type Subject = { streams: Socket[]; send(number: number): Promise<unknown> };

export async function measureBroadcast({ target }: Options, data: string, streams: number): Promise<Broadcast> {
  using hub = await launch(hubCommand(target, data));
  const { idle, ...subject } = await subjectOf(hub, streams);
  const ofHub = await measure(subject);
  using koa = await launch(baseline('koa-streams.ts'));
  const ofKoa = await measure(await baselineSubject(koa, streams));
  return { streams, hub: ofHub, koa: ofKoa, idle };
}

async function subjectOf(hub: Program, count: number): Promise<Subject & { idle: Idle }> {
  const { token, network_id, network_token } = await openAccount(hub, 'bench');
  const tokens = await inBatches(range(Math.ceil(count / STREAMS_A_TOKEN)), () => networkToken(hub, token, network_id));
  const empty = await settledBytes(hub);
  const names = range(count).map((index) => `agent-${index}`);
  await inBatches(names, (alias) =>
    callTool(hub, network_token, 'report_status', { resume_id: alias, alias, status: 'idle' }),
  );
  const withAgents = await settledBytes(hub);
  const tokenOf = (index: number): string => tokens[index % tokens.length] ?? '';
  const streams = await inBatches(range(count), (index) => openStream(hub, `/events/agent-${index}`, tokenOf(index)));
  const withStreams = await settledBytes(hub);
  const before = cpuMs(hub);
  await sleep(IDLE_MS);
  const idle = {
    agentBytes: (withAgents - empty) / count,
    streamBytes: (withStreams - withAgents) / count,
    cpuMsPerMinute: ((cpuMs(hub) - before) * MINUTE_MS) / IDLE_MS,
  };
  const content = (round: number): string => `round ${round}: the build is green again`;
  return { idle, streams, send: (round) => callTool(hub, network_token, 'broadcast', { content: content(round) }) };
}

async function settledBytes({ pid }: Program): Promise<number> {
  await sleep(SETTLE_MS);
  return residentBytes(pid);
}

/** Of all threads, in the ticks of /proc, 100 per second. NaN without /proc. */
function cpuMs({ pid }: Program): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return NaN;
  const [user, system] = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

async function networkToken({ url }: Program, token: string, network_id: string): Promise<string> {
  const body = JSON.stringify({ name: 'bench', network_id });
  const response: unknown = JSON.parse(await post(`${url}/api/tokens`, { authorization: `Bearer ${token}` }, body));
  if (typeof response !== 'object' || response === null || !('token' in response))
    throw new Error('no token was created');
  return String(response.token);
}

async function baselineSubject(koa: Program, count: number): Promise<Subject> {
  const streams = await inBatches(range(count), () => openStream(koa, '/events', ''));
  return {
    streams,
    send: (number) => post(`${koa.url}/broadcast`, {}, JSON.stringify({ content: `round ${number}` })),
  };
}

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

async function inBatches<Item, Value>(items: readonly Item[], make: (item: Item) => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    values.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(make))));
  }
  return values;
}

async function openStream({ port }: Program, path: string, token: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  await once(socket, 'connect');
  socket.write(getRequest(token, path));
  const [first] = await once(socket, 'data');
  if (!String(first).startsWith('HTTP/1.1 200')) throw new Error(`a stream was refused: ${String(first).slice(0, 40)}`);
  return socket;
}

/** The first round warms up. */
async function measure({ streams, send }: Subject): Promise<Reach> {
  const rounds: Reach[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const reached = Promise.all(streams.map(receivesBroadcast));
    const start = performance.now();
    await send(round);
    const acknowledgedMs = performance.now() - start;
    await reached;
    if (round > 0) rounds.push({ acknowledgedMs, reachedMs: performance.now() - start });
  }
  for (const socket of streams) socket.destroy();
  return {
    acknowledgedMs: median(rounds.map((each) => each.acknowledgedMs)),
    reachedMs: median(rounds.map((each) => each.reachedMs)),
  };
}

function receivesBroadcast(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (chunk: Buffer): void => {
      if (!chunk.includes('event: broadcast')) return;
      socket.off('data', look).off('close', lost);
      resolve();
    };
    const lost = (): void => reject(new Error('a stream was closed'));
    socket.on('data', look).on('close', lost);
  });
}
