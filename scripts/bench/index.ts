// `npm run bench -- [--rounds N] [--seconds S] [--target binary|source] [--json FILE]`: what the hub weighs and how fast it
// takes durable sends, beside two servers that store nothing. Exits with 1 when a target is missed.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../../build/index.ts';
import { DIST } from '../../build/step.ts';
import { readOptions, type Options } from './options.ts';
import { judge, report, type Figures } from './report.ts';
import { measureThroughput } from './throughput.ts';
import { measureWeight } from './weight.ts';

const options = readOptions('bench', 'What the hub weighs and how fast it takes durable sends, beside two servers that store nothing.', process.argv.slice(2));
if (options.target === 'binary') await build();
const figures = await measure(options);
const verdicts = judge(figures);
process.stdout.write(report(figures, verdicts));
if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ ...figures, verdicts }, null, 2)}\n`);
if (verdicts.some(({ passed }) => passed === false)) process.exitCode = 1;

async function measure(options: Options): Promise<Figures> {
  const data = scratchDirectory();
  const weight = await measureWeight(options, data);
  const throughput = await measureThroughput(options, join(data, 'throughput'));
  return { options, throughput, weight };
}

// Inside the checkout, since a temporary directory may be memory, where a durable write costs nothing.
function scratchDirectory(): string {
  mkdirSync(DIST, { recursive: true });
  const directory = mkdtempSync(join(DIST, 'bench-'));
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
  process.once('SIGINT', () => process.exit(130));
  return directory;
}
