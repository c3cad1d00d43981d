// `npm run bench -- [--quick] [--rounds N] [--seconds S] [--sizes N,N] [--streams N] [--target binary|source] [--json
// FILE]`: measures durable sends, scaling with the number of tasks, start time and memory, compared with servers that
// store nothing. Exits with 1 if a target is missed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import { measureBroadcast } from './broadcast.ts';
import { measureWeight } from './footprint.ts';
import { type BenchOptions, readBenchOptions } from './options.ts';
import { checkTargets, type Figures, report } from './report.ts';
import { measureScale } from './scale.ts';
import { measureThroughput } from './throughput.ts';

const options = readBenchOptions(process.argv.slice(2));
if (options.target === 'binary') await build();
const figures = await measure(options);
const results = checkTargets(figures);
process.stdout.write(report(figures, results));
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ ...figures, results }, null, 2)}\n`);
if (results.some(({ passed }) => passed === false)) process.exitCode = 1;

async function measure(options: BenchOptions): Promise<Figures> {
  const data = scratchDirectory();
  const weight = await measureWeight(options, data);
  const throughput = await measureThroughput(options, join(data, 'throughput'));
  if (options.quick) return { options, throughput, weight };
  const broadcast = await measureBroadcast(options, join(data, 'broadcast'), options.streams);
  const scale = await measureScale(options, join(data, 'scale'));
  return { options, throughput, weight, broadcast, scale };
}

// In the checkout, because a temporary directory may be in memory, where a durable write costs nothing.
function scratchDirectory(): string {
  mkdirSync(DIST, { recursive: true });
  const directory = mkdtempSync(join(DIST, 'bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  return directory;
}
