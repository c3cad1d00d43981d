// Measures the start time and the idle memory of the hub, alternating with Koa, and the size of the executable.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { DIST } from '../../build/step.ts';
import type { Command } from '../support/process.ts';
import { launch } from '../support/program.ts';
import { baseline } from './baselines.ts';
import { hubCommand } from './hub.ts';
import { median } from './median.ts';
import type { Options, Target } from './options.ts';

export type Weight = {
  /** The time from before the process is created until its first response. */
  firstResponseMs: number;
  koaFirstResponseMs: number;
  /** The ratio within one round, because other load slows both. */
  toKoa: number;
  /** NaN without /proc. */
  idleBytes: number;
  koaIdleBytes: number;
  /** NaN for a hub on source. */
  binaryBytes: number;
  gzippedBytes: number;
};

type Start = { firstResponseMs: number; idleBytes: number };

const STARTS = 15;
const SETTLE_MS = 300;

/** `data` is the parent directory for the hubs. Each hub has its own directory and creates its database. */
export async function measureWeight({ target }: Options, data: string): Promise<Weight> {
  const hubs: Start[] = [];
  const koas: Start[] = [];
  for (let turn = 0; turn < STARTS; turn++) {
    hubs.push(await measureStart(hubCommand(target, join(data, String(turn)))));
    koas.push(await measureStart(baseline('koa.ts')));
  }
  return {
    firstResponseMs: median(hubs.map(({ firstResponseMs }) => firstResponseMs)),
    koaFirstResponseMs: median(koas.map(({ firstResponseMs }) => firstResponseMs)),
    toKoa: median(hubs.map(({ firstResponseMs }, turn) => firstResponseMs / (koas[turn]?.firstResponseMs ?? NaN))),
    idleBytes: median(hubs.map(({ idleBytes }) => idleBytes)),
    koaIdleBytes: median(koas.map(({ idleBytes }) => idleBytes)),
    ...(await binarySizes(target)),
  };
}

/** Koa returns 404 for this path. */
async function measureStart(command: Command): Promise<Start> {
  const started = performance.now();
  using server = await launch(command);
  await untilResponse(`${server.url}/health/live`);
  const firstResponseMs = performance.now() - started;
  await sleep(SETTLE_MS);
  const idleBytes = await residentBytes(server.pid);
  await server.kill();
  return { firstResponseMs, idleBytes };
}

// Avoids fetch, which Node would load during the first measurement.
function untilResponse(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().once('end', resolve)).once('error', reject);
  });
}

export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

async function binarySizes(target: Target): Promise<Pick<Weight, 'binaryBytes' | 'gzippedBytes'>> {
  if (target === 'source') return { binaryBytes: NaN, gzippedBytes: NaN };
  const binary = join(DIST, 'agenthub');
  return { binaryBytes: (await stat(binary)).size, gzippedBytes: await gzippedSize(binary) };
}

async function gzippedSize(file: string): Promise<number> {
  let bytes = 0;
  for await (const chunk of createReadStream(file).pipe(createGzip())) bytes += chunk.length;
  return bytes;
}
