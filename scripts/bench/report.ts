// Formats the results as two tables, the second with the targets.
import { availableParallelism } from 'node:os';
import type { Broadcast } from './broadcast.ts';
import type { Weight } from './footprint.ts';
import type { BenchOptions } from './options.ts';
import type { Scale } from './scale.ts';
import type { Throughput } from './throughput.ts';

export type Figures = {
  options: BenchOptions;
  throughput: Throughput;
  weight: Weight;
  /** Not measured by --quick. */
  broadcast?: Broadcast;
  scale?: Scale;
};

/** `passed` is undefined if there is no target. */
export type TargetResult = { what: string; figure: string; target: string; passed: boolean | undefined };

const MIN_RATIO_TO_KOA = 0.25;
/** For example, 120 ms if Koa alone takes 104 ms. */
const MAX_START_TO_KOA = 1.15;
const MAX_IDLE_BYTES = 100 * 2 ** 20;
const BUSY_CLIENT = 0.9;
const MAX_BYTES_PER_TASK = 600;
const MAX_GROWTH = 1.2;
/** The time of these requests must not grow with the number of tasks. */
const FLAT = ['send_task', 'list_tasks', 'GET /api/tasks'];
const MAX_STALL_MS = 10;
const MIN_SENDS_UNDER_READS = 500;
const MAX_SEND_P99_UNDER_READS_MS = 20;
const MAX_ACKNOWLEDGED_MS = 40;
const MAX_REACHED_MS = 150;

/** The targets for start and memory apply to the binary; on source, the results are only shown. */
export function checkTargets({ options, throughput, weight, broadcast, scale }: Figures): TargetResult[] {
  const isBinary = options.target === 'binary';
  const { rows, stored, acknowledged, errors } = throughput;
  const ratio = rows.at(-1)?.toKoa ?? NaN;
  return [
    result('hub:koa at 64 connections', ratio.toFixed(2), `≥ ${MIN_RATIO_TO_KOA}`, ratio >= MIN_RATIO_TO_KOA),
    result('acknowledged and stored', `${grouped(stored)} of ${grouped(acknowledged)}`, 'all', stored === acknowledged),
    result('errors', grouped(errors), '0', errors === 0),
    result(
      `start to first response (koa ${weight.koaFirstResponseMs.toFixed(0)})`,
      `${weight.firstResponseMs.toFixed(0)} ms`,
      '',
      undefined,
    ),
    result(
      'start to first response, hub:koa',
      weight.toKoa.toFixed(2),
      `≤ ${MAX_START_TO_KOA}`,
      isBinary ? weight.toKoa <= MAX_START_TO_KOA : undefined,
    ),
    result(
      `idle memory (koa ${megabytes(weight.koaIdleBytes)})`,
      megabytes(weight.idleBytes),
      `< ${megabytes(MAX_IDLE_BYTES)}`,
      isBinary ? weight.idleBytes < MAX_IDLE_BYTES : undefined,
    ),
    result('binary', megabytes(weight.binaryBytes), '', undefined),
    result('binary, gzipped', megabytes(weight.gzippedBytes), '', undefined),
    ...(broadcast === undefined ? [] : checkBroadcast(broadcast)),
    ...(scale === undefined ? [] : checkScale(scale)),
  ];
}

function checkBroadcast({ streams, hub, koa, idle }: Broadcast): TargetResult[] {
  const what = `broadcast to ${grouped(streams)} streams`;
  const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
  return [
    result('memory of an agent', kilobytes(idle.agentBytes), '', undefined),
    result('memory of its stream', kilobytes(idle.streamBytes), '', undefined),
    result(`CPU of ${grouped(streams)} idle streams`, `${idle.cpuMsPerMinute.toFixed(0)} ms per minute`, '', undefined),
    atMost(
      `${what}, acknowledged (koa ${koa.acknowledgedMs.toFixed(0)})`,
      hub.acknowledgedMs,
      MAX_ACKNOWLEDGED_MS,
      'ms',
    ),
    atMost(`${what}, received by all (koa ${koa.reachedMs.toFixed(0)})`, hub.reachedMs, MAX_REACHED_MS, 'ms'),
  ];
}

function checkScale({ bytesPerTask, rows, stall }: Scale): TargetResult[] {
  const flat = rows
    .filter(({ what }) => FLAT.includes(what))
    .map(({ what, p50Ms }) => {
      const growth = growthOf(p50Ms);
      return result(`${what}, largest to smallest`, growth.toFixed(2), `≤ ${MAX_GROWTH}`, growth <= MAX_GROWTH);
    });
  return [
    atMost('bytes per task of 190 characters', bytesPerTask, MAX_BYTES_PER_TASK, 'B'),
    ...flat,
    atMost('longest stall under heavy reads', stall.longestMs, MAX_STALL_MS, 'ms'),
    atLeast('sends/s under heavy reads', stall.sendsPerSecond, MIN_SENDS_UNDER_READS),
    atMost('p99 of a send under heavy reads', stall.sendP99Ms, MAX_SEND_P99_UNDER_READS_MS, 'ms'),
  ];
}

function atLeast(what: string, figure: number, least: number): TargetResult {
  return result(what, grouped(figure), `≥ ${least}`, figure >= least);
}

function atMost(what: string, figure: number, most: number, unit: string): TargetResult {
  return result(what, `${figure.toFixed(0)} ${unit}`, `≤ ${most} ${unit}`, figure <= most);
}

function result(what: string, figure: string, target: string, passed: boolean | undefined): TargetResult {
  return { what, figure, target, passed };
}

export function report({ options, throughput, scale }: Figures, results: TargetResult[]): string {
  const { rounds, seconds, target } = options;
  return `
agenthub (${target}), Node ${process.versions.node}, ${availableParallelism()} cores; medians of ${rounds} rounds of ${seconds} s

${table(speedRows(throughput))}
${scale === undefined ? '' : `\n${table(scaleRows(scale))}\n`}
${table(results.map(({ what, figure, target, passed }) => [what, figure, target, word(passed)]))}
${warning(throughput)}`;
}

function speedRows({ rows }: Throughput): string[][] {
  return [
    ['durable send_task', 'hub/s', 'koa/s', 'bare/s', 'hub:koa', 'hub:bare', 'p50 ms', 'p99 ms', 'CPU µs'],
    ...rows.map(({ connections, perSecond, toKoa, ratioToBare, p50Ms, p99Ms, cpuMicros }) => [
      `${connections} connection${connections === 1 ? '' : 's'}`,
      grouped(perSecond.hub),
      grouped(perSecond.koa),
      grouped(perSecond.bare),
      toKoa.toFixed(2),
      ratioToBare.toFixed(2),
      p50Ms.toFixed(2),
      p99Ms.toFixed(2),
      cpuMicros.toFixed(0),
    ]),
  ];
}

function scaleRows({ sizes, rows }: Scale): string[][] {
  return [
    ['p50 in ms by number of tasks', ...sizes.map(grouped), 'ratio'],
    ...rows.map(({ what, p50Ms }) => [what, ...p50Ms.map((ms) => ms.toFixed(2)), growthOf(p50Ms).toFixed(1)]),
  ];
}

function growthOf(ascending: readonly number[]): number {
  return (ascending.at(-1) ?? NaN) / (ascending[0] ?? NaN);
}

/** Aligns the first column left and the others right. */
export function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

function word(passed: boolean | undefined): string {
  if (passed === undefined) return '–';
  return passed ? 'pass' : 'FAIL';
}

function warning({ clientBusy }: Throughput): string {
  return clientBusy < BUSY_CLIENT
    ? ''
    : `\nthe load generator took up to ${clientBusy.toFixed(2)} of a core: the fastest rows measure the generator, not the server\n`;
}

function grouped(count: number): string {
  return Math.round(count).toLocaleString('en');
}

function megabytes(bytes: number): string {
  return Number.isNaN(bytes) ? '–' : `${(bytes / 1e6).toFixed(0)} MB`;
}
