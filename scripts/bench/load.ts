// The load generator, a separate process: accepts one job at a time from its parent and returns the measurement.
import { exchange, type Metrics, openConnection } from './connection.ts';
import { percentile } from './median.ts';

export type Job = {
  port: number;
  request: string;
  expected: string;
  connections: number;
  /** The maximum duration. */
  seconds: number;
  /** The maximum number of requests. */
  requests?: number;
};

export type Measurement = {
  responses: number;
  errors: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
  /** The fraction of a core that the generator used. Near 1, the result measures the generator, not the server. */
  clientBusy: number;
};

let sent = 0;

process.on('message', async (job: Job) => process.send?.(await run(job)));

async function run(job: Job): Promise<Measurement> {
  const sockets = await Promise.all(Array.from({ length: job.connections }, () => openConnection(job.port)));
  const metrics: Metrics = { responses: 0, errors: 0, latenciesMs: [] };
  const cpu = process.cpuUsage();
  const started = performance.now();
  const deadline = started + job.seconds * 1000;
  const last = sent + (job.requests ?? Infinity);
  const mayGoOn = (): boolean => sent < last && performance.now() < deadline;
  await Promise.all(sockets.map((socket) => exchange(socket, job, () => ++sent, mayGoOn, metrics)));
  const elapsedMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  return {
    responses: metrics.responses,
    errors: metrics.errors,
    perSecond: (metrics.responses / elapsedMs) * 1000,
    p50Ms: percentile(metrics.latenciesMs, 0.5),
    p99Ms: percentile(metrics.latenciesMs, 0.99),
    maxMs: percentile(metrics.latenciesMs, 1),
    clientBusy: (user + system) / 1000 / elapsedMs,
  };
}
