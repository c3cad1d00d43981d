// What the hub weighs before anybody asks anything of it: its start, its memory at rest, its size.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { DIST } from '../../build/step.ts';
import { hubCommand } from './hub.ts';
import { median } from './median.ts';
import type { Options, Target } from './options.ts';
import { launch } from './program.ts';

export type Weight = {
  startMs: number;
  /** NaN where there is no /proc. */
  idleBytes: number;
  /** NaN for a hub on source. */
  binaryBytes: number;
  gzippedBytes: number;
};

const STARTS = 9;
const SETTLE_MS = 300;

/** `data` is a directory for the hubs started here; each gets one of its own, and so makes its database as well. */
export async function measureWeight({ target }: Options, data: string): Promise<Weight> {
  const starts: number[] = [];
  const sizes: number[] = [];
  for (let run = 0; run < STARTS; run++) {
    using hub = await launch(hubCommand(target, join(data, String(run))));
    starts.push(hub.startMs);
    await sleep(SETTLE_MS);
    sizes.push(await residentBytes(hub.pid));
    await hub.kill();
  }
  return { startMs: median(starts), idleBytes: median(sizes), ...(await binarySizes(target)) };
}

async function residentBytes(pid: number): Promise<number> {
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
