// `npm run bench:cluster -- [--rounds N] [--seconds S] [--target binary|source]`: measures hubs on one PostgreSQL server,
// one to three, all on this machine: durable sends over HTTP, when another hub tells of them, and the processor time of
// hubs and server. Exits with 1 if a target is missed.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { launch, type Program } from '../support/program.ts';
import { type Client, startClient } from './client.ts';
import { LANE, NUMBER } from './connection.ts';
import { cpuMicrosOf, cpuMicrosOfAll } from './cpu.ts';
import { callTool, hubCommand, openNetwork, rpc } from './hub.ts';
import type { Measurement } from './load.ts';
import { median, percentile } from './median.ts';
import { type Options, readOptions } from './options.ts';
import { table } from './report.ts';
import { postRequest } from './requests.ts';

const SIZES = [1, 2, 3];
const CONNECTIONS = 64;
/** Of two hubs, in sends per second, microseconds of hub and server per send, and milliseconds. */
const TARGETS = { sends: 1_500, cpu: 200, toldAlone: 60, toldUnderLoad: 200 };
const HEAD = ['hubs', 'sends/s', 'p50 ms', 'p99 ms', 'hub µs', 'server µs', 'told p50/p99 ms', 'under load'];
const TELL_EVERY_MS = 50;
/** V8 compiles for the first 20 seconds of load. */
const WARM_UP_ROUNDS = 4;
let told = 0;
/** Each load has texts that no other has, or they would be refused as repeated. */
let loads = 0;

const options = readOptions('bench:cluster', 'Measures one, two and three hubs on PostgreSQL.', process.argv.slice(2));
if (options.target === 'binary') await build();
mkdirSync(DIST, { recursive: true });
const data = mkdtempSync(join(DIST, 'bench-'));
const server = await startPostgres({ isDurable: true });
if (server === undefined) throw new Error('there is no PostgreSQL for this system: npm ci installs it on Linux');
try {
  process.exitCode = (await measure(server, options)) ? 0 : 1;
} finally {
  await server.stop();
  rmSync(data, { recursive: true, force: true });
}

type Round = { perSecond: number; p50Ms: number; p99Ms: number; hubMicros: number; serverMicros: number };
type Sample = Round & { size: number; alone: number[]; underLoad: number[] };
type Setup = { server: PostgresServer; hubs: readonly Program[]; token: string; options: Options };

async function measure(server: PostgresServer, options: Options): Promise<boolean> {
  const hubs: Program[] = [];
  let token: string | undefined;
  const samples: Sample[] = [];
  try {
    // A hub without load reads the events of the others, so each starts when it is measured.
    for (const size of SIZES) {
      const hub = await launch(commandOf(server, options, size));
      hubs.push(hub);
      token ??= await openNetwork(hub);
      samples.push(...(await samplesOf(size, { server, hubs, token, options })));
    }
  } finally {
    await Promise.all(hubs.map((hub) => hub.kill()));
  }
  const rows = SIZES.map((size) => rowOf(size, samples));
  process.stdout.write(`\n${table([HEAD, ...rows.map(({ cells }) => cells)])}\n`);
  const missed = rows[1]?.missed ?? [];
  process.stdout.write(missed.length === 0 ? 'two hubs reach all targets\n' : `two hubs miss: ${missed.join(', ')}\n`);
  return missed.length === 0;
}

async function samplesOf(size: number, setup: Setup): Promise<Sample[]> {
  const samples: Sample[] = [];
  for (let round = 1 - WARM_UP_ROUNDS; round <= setup.options.rounds; round += 1) {
    const step = round > 0 ? `round ${round} of ${setup.options.rounds}` : 'warming up';
    process.stderr.write(`${size} ${size === 1 ? 'hub' : 'hubs'}, ${step}\n`);
    const sample = await sampleOf(size, setup);
    if (round > 0) samples.push(sample);
  }
  return samples;
}

function commandOf(server: PostgresServer, { target }: Options, hub: number) {
  const command = hubCommand(target, join(data, `hub-${hub}`));
  return { ...command, args: [...command.args, '--database', server.url] };
}

async function sampleOf(size: number, { server, hubs, token, options: { seconds } }: Setup): Promise<Sample> {
  const alone = await toldBy(hubs, token, sleep(seconds * 1_000));
  const clients = hubs.map(startClient);
  try {
    const before = [sum(hubs.map(({ pid }) => cpuMicrosOf(pid))), cpuMicrosOfAll(server.pid())] as const;
    const load = Promise.all(hubs.map((hub, at) => send(clients[at] ?? startClient(), hub, token, size, seconds)));
    const underLoad = await toldBy(hubs, token, load);
    const measured = await load;
    const [hubMicros, serverMicros] = [
      sum(hubs.map(({ pid }) => cpuMicrosOf(pid))) - before[0],
      cpuMicrosOfAll(server.pid()) - before[1],
    ];
    const sends = sum(measured.map(({ responses }) => responses));
    return {
      size,
      perSecond: sum(measured.map(({ perSecond }) => perSecond)),
      p50Ms: median(measured.map(({ p50Ms }) => p50Ms)),
      p99Ms: Math.max(...measured.map(({ p99Ms }) => p99Ms)),
      hubMicros: hubMicros / sends,
      serverMicros: serverMicros / sends,
      alone,
      underLoad,
    };
  } finally {
    for (const client of clients) client[Symbol.dispose]();
  }
}

async function send(
  client: Client,
  { port }: Program,
  token: string,
  size: number,
  seconds: number,
): Promise<Measurement> {
  const task = `Review change ${NUMBER} of ${loads++}: the parser accepts a trailing comma that the grammar refuses; add a test and fix it.`;
  const body = rpc('send_task', { alias: `worker-${LANE}`, task, from_session: 'lead' });
  const job = { port, request: postRequest(token, '/mcp', body), expected: String.raw`\"ok\":true`, seconds };
  const measured = await client.run({ ...job, connections: Math.floor(CONNECTIONS / size) });
  if (measured.errors > 0) throw new Error(`${measured.errors} sends failed`);
  return measured;
}

/** Sends through the first hub, now and then, until `until`; how long the last hub takes to tell of each, in ms. */
async function toldBy(used: readonly Program[], token: string, until: Promise<unknown>): Promise<number[]> {
  const [first, last] = [used[0], used.at(-1)];
  if (first === undefined || last === undefined || first === last) return [];
  await using events = await listen(`${last.url}/events/listener`, token);
  const times: number[] = [];
  let isOver = false;
  until.finally(() => (isOver = true)).catch(() => {});
  while (!isOver) {
    const message = `told ${told++}`;
    const start = performance.now();
    await callTool(first, token, 'send_message', { alias: 'listener', message, from_session: 'teller' });
    await events.heard(`"${message}"`);
    times.push(performance.now() - start);
    await sleep(TELL_EVERY_MS);
  }
  return times;
}

/** The stream of an agent. `heard` resolves once it has contained a text that no event before did. */
async function listen(url: string, token: string): Promise<AsyncDisposable & { heard(text: string): Promise<void> }> {
  const leaving = new AbortController();
  const { body } = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: leaving.signal });
  if (body === null) throw new Error(`${url} has no body`);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let unread = '';
  return {
    heard: async (text) => {
      while (!unread.includes(text)) unread += (await reader.read()).value ?? '';
      unread = '';
    },
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await reader.cancel().catch(() => {});
    },
  };
}

function rowOf(size: number, samples: readonly Sample[]): { cells: string[]; missed: string[] } {
  const own = samples.filter((sample) => sample.size === size);
  const of = (key: keyof Round): number => median(own.map((sample) => sample[key]));
  const [alone, underLoad] = [own.flatMap((sample) => sample.alone), own.flatMap((sample) => sample.underLoad)];
  const cpu = of('hubMicros') + of('serverMicros');
  const reached = {
    [`${TARGETS.sends} sends/s`]: of('perSecond') >= TARGETS.sends,
    [`${TARGETS.cpu} µs per send`]: cpu <= TARGETS.cpu,
    [`told within ${TARGETS.toldAlone} ms`]: percentile(alone, 0.99) <= TARGETS.toldAlone,
    [`told within ${TARGETS.toldUnderLoad} ms under load`]: percentile(underLoad, 0.99) <= TARGETS.toldUnderLoad,
  };
  return {
    cells: [
      String(size),
      ...(['perSecond', 'p50Ms', 'p99Ms', 'hubMicros', 'serverMicros'] as const).map((key) => of(key).toFixed(0)),
      pair(alone),
      pair(underLoad),
    ],
    missed: Object.keys(reached).filter((target) => !reached[target]),
  };
}

function pair(times: readonly number[]): string {
  return times.length === 0 ? '–' : `${median(times).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)}`;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
