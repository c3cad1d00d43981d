// Measures durable sends, compared with node:http and Koa without a store. The three alternate within every round, so
// that other load affects all of them, and the result is the median of the ratios within each round.
import { launch, type Program } from '../support/program.ts';
import { baseline } from './baselines.ts';
import { startClient } from './client.ts';
import { cpuMicrosOf } from './cpu.ts';
import { countStored, hubCommand, openNetwork, sendOnce, sendRequest } from './hub.ts';
import type { Job, Measurement } from './load.ts';
import { median } from './median.ts';
import type { Options } from './options.ts';

export const CONNECTIONS = [1, 16, 64] as const;

type Name = 'hub' | 'koa' | 'bare';
type Subject = { name: Name; pid: number; job: Omit<Job, 'connections' | 'seconds'> };
type Sample = Measurement & { name: Name; connections: number; round: number; cpuMicros: number };

export type Throughput = {
  rows: {
    connections: number;
    perSecond: Record<Name, number>;
    toKoa: number;
    ratioToBare: number;
    p50Ms: number;
    p99Ms: number;
    cpuMicros: number;
  }[];
  /** Sends that the hub acknowledged, and tasks that the next hub found after this one was killed. */
  acknowledged: number;
  stored: number;
  errors: number;
  /** The highest fraction of a core that the load generator used in any measurement. */
  clientBusy: number;
};

const WARM_UP_SECONDS = 0.5;

export async function measureThroughput(options: Options, data: string): Promise<Throughput> {
  const command = hubCommand(options.target, data);
  using hub = await launch(command);
  const token = await openNetwork(hub);
  using koa = await launch(baseline('koa.ts', await sendOnce(hub, token)));
  using bare = await launch(baseline('bare.ts'));
  const samples = await takeSamples(subjects({ hub, koa, bare }, sendRequest(token)), options);
  await hub.kill();
  return summary(samples, await countStored(command, token));
}

function subjects({ hub, koa, bare }: Record<Name, Program>, request: string): Subject[] {
  const acknowledged = String.raw`\"ok\":true`;
  return [
    { name: 'hub', pid: hub.pid, job: { port: hub.port, request, expected: acknowledged } },
    { name: 'koa', pid: koa.pid, job: { port: koa.port, request, expected: acknowledged } },
    { name: 'bare', pid: bare.pid, job: { port: bare.port, request, expected: '"send_task"' } },
  ];
}

/** Round 0 is a warm-up: it counts for storage, not for speed. */
async function takeSamples(all: Subject[], { rounds, seconds }: Options): Promise<Sample[]> {
  using client = startClient();
  const samples: Sample[] = [];
  for (let round = 0; round <= rounds; round++) {
    for (const connections of CONNECTIONS) {
      for (const { name, pid, job } of inTurn(all, round)) {
        const before = cpuMicrosOf(pid);
        const measured = await client.run({ ...job, connections, seconds: round === 0 ? WARM_UP_SECONDS : seconds });
        const cpuMicros = (cpuMicrosOf(pid) - before) / measured.responses;
        samples.push({ ...measured, name, connections, round, cpuMicros });
      }
    }
  }
  return samples;
}

// Rotates the order, so that no server always follows the same one.
function inTurn(all: Subject[], round: number): Subject[] {
  return round % 2 === 0 ? all : all.toReversed();
}

function summary(samples: Sample[], stored: number): Throughput {
  const ofHub = samples.filter(({ name }) => name === 'hub');
  return {
    rows: CONNECTIONS.map((connections) =>
      row(
        samples.filter((sample) => sample.round > 0 && sample.connections === connections),
        connections,
      ),
    ),
    // 1 is the send whose response the rivals return.
    acknowledged: 1 + ofHub.reduce((sum, { responses }) => sum + responses, 0),
    stored,
    errors: samples.reduce((sum, { errors }) => sum + errors, 0),
    clientBusy: Math.max(...samples.map(({ clientBusy }) => clientBusy)),
  };
}

function row(samples: Sample[], connections: number): Throughput['rows'][number] {
  const of = (name: Name) => samples.filter((sample) => sample.name === name);
  const speed = (name: Name) => median(of(name).map(({ perSecond }) => perSecond));
  const ratioTo = (name: Name) =>
    median(
      of('hub').map(
        ({ round, perSecond }) => perSecond / (of(name).find((sample) => sample.round === round)?.perSecond ?? NaN),
      ),
    );
  return {
    connections,
    perSecond: { hub: speed('hub'), koa: speed('koa'), bare: speed('bare') },
    toKoa: ratioTo('koa'),
    ratioToBare: ratioTo('bare'),
    p50Ms: median(of('hub').map(({ p50Ms }) => p50Ms)),
    p99Ms: median(of('hub').map(({ p99Ms }) => p99Ms)),
    cpuMicros: median(of('hub').map(({ cpuMicros }) => cpuMicros)),
  };
}
