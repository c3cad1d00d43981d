// The load generator, a process of its own: takes one job at a time from its parent and answers with what it measured.
import { exchange, type Metrics, openConnection } from './connection.ts';
import { percentile } from './median.ts';

export type Job = {
  port: number;
  request: string;
  expected: string;
  connections: number;
  /** When to end at the latest. */
  seconds: number;
  /** How many requests to send at most. */
  requests?: number;
};

export type Measurement = {
  answered: number;
  errors: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The part of a core that the generator itself took: near 1, it and not the server is what was measured. */
  clientBusy: number;
};

let sent = 0;

process.on('message', async (job: Job) => process.send?.(await run(job)));

async function run(job: Job): Promise<Measurement> {
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => openConnection(job.port)));
  const metrics: Metrics = { answered: 0, errors: 0, latenciesMs: [] };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const deadline = started + job.seconds * 1000;
  const last = sent + (job.requests ?? Infinity);
  const mayGoOn = (): boolean => sent < last && performance.now() < deadline;
  await Promise.all(sockets.map((socket) => exchange(socket, job, () => ++sent, mayGoOn, metrics)));
  const elapsedMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return {
    answered: metrics.answered,
    errors: metrics.errors,
    perSecond: (metrics.answered / elapsedMs) * 1000,
    p50Ms: percentile(metrics.latenciesMs, 0.5),
    p99Ms: percentile(metrics.latenciesMs, 0.99),
    maxMs: percentile(metrics.latenciesMs, 1),
    clientBusy: (user + system) / 1000 / elapsedMs,
  };
}
