// The figures as two tables, the second with the targets beside them.
import { availableParallelism } from 'node:os';
import type { Options } from './options.ts';
import type { Throughput } from './throughput.ts';
import type { Weight } from './weight.ts';

export type Figures = { options: Options; throughput: Throughput; weight: Weight };

/** `passed` is undefined where nothing is demanded. */
export type Verdict = { what: string; figure: string; target: string; passed: boolean | undefined };

const MIN_RATIO_TO_KOA = 0.25;
const MAX_START_MS = 150;
const MAX_IDLE_BYTES = 130e6;
const BUSY_CLIENT = 0.9;

/** Start and memory are promised for the binary; on source they are shown only. */
export function judge({ options, throughput, weight }: Figures): Verdict[] {
  const isBinary = options.target === 'binary';
  const { rows, stored, acknowledged, errors } = throughput;
  const ratio = rows.at(-1)?.toKoa ?? NaN;
  return [
    verdict('hub:koa at 64 connections', ratio.toFixed(2), `≥ ${MIN_RATIO_TO_KOA}`, ratio >= MIN_RATIO_TO_KOA),
    verdict('acknowledged and stored', `${grouped(stored)} of ${grouped(acknowledged)}`, 'all', stored === acknowledged),
    verdict('errors', grouped(errors), '0', errors === 0),
    verdict('start to listening', `${weight.startMs.toFixed(0)} ms`, `< ${MAX_START_MS} ms`, isBinary ? weight.startMs < MAX_START_MS : undefined),
    verdict('idle memory', megabytes(weight.idleBytes), `< ${megabytes(MAX_IDLE_BYTES)}`, isBinary ? weight.idleBytes < MAX_IDLE_BYTES : undefined),
    verdict('binary', megabytes(weight.binaryBytes), '', undefined),
    verdict('binary, gzipped', megabytes(weight.gzippedBytes), '', undefined),
  ];
}

function verdict(what: string, figure: string, target: string, passed: boolean | undefined): Verdict {
  return { what, figure, target, passed };
}

export function report({ options, throughput }: Figures, verdicts: Verdict[]): string {
  const { rounds, seconds, target } = options;
  return `
agenthub (${target}), Node ${process.versions.node}, ${availableParallelism()} cores; medians of ${rounds} rounds of ${seconds} s

${table(speedRows(throughput))}

${table(verdicts.map(({ what, figure, target, passed }) => [what, figure, target, word(passed)]))}
${warning(throughput)}`;
}

function speedRows({ rows }: Throughput): string[][] {
  return [
    ['durable send_task', 'hub/s', 'koa/s', 'bare/s', 'hub:koa', 'hub:bare', 'p50 ms', 'p99 ms'],
    ...rows.map(({ connections, perSecond, toKoa, toBare, p50Ms, p99Ms }) => [
      `${connections} connection${connections === 1 ? '' : 's'}`,
      grouped(perSecond.hub), grouped(perSecond.koa), grouped(perSecond.bare),
      toKoa.toFixed(2), toBare.toFixed(2), p50Ms.toFixed(2), p99Ms.toFixed(2),
    ]),
  ];
}

/** The first column to the left, the others to the right. */
export function table(rows: string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  ')).join('\n');
}

function word(passed: boolean | undefined): string {
  if (passed === undefined) return '–';
  return passed ? 'pass' : 'FAIL';
}

function warning({ clientBusy }: Throughput): string {
  return clientBusy < BUSY_CLIENT ? '' : `\nthe load generator took up to ${clientBusy.toFixed(2)} of a core: the fastest rows measure it and not the server\n`;
}

function grouped(count: number): string {
  return Math.round(count).toLocaleString('en');
}

function megabytes(bytes: number): string {
  return Number.isNaN(bytes) ? '–' : `${(bytes / 1e6).toFixed(0)} MB`;
}
